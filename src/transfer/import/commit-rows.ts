import type { Change } from '../../entity/stored/change.js';
import { judgeChanges } from '../../store/judge-changes.js';
import { isRefusal, type Refusal, type TableHandle } from '../../store/store.js';

/**
 * Makes changes in order. Returns, for each, why it was refused, or undefined. The others are made.
 */
export type CommitRows = (handle: TableHandle, changes: readonly Change[]) => Promise<readonly (Refusal | undefined)[]>;

/** Makes changes in one transaction, or each in its own if one of them is refused. No two of them are of one entity. */
export const commitRows: CommitRows = async (handle, changes) => {
  const outcome = await handle.commit(changes);
  if (!isRefusal(outcome)) return changes.map(() => undefined);
  // Engines write transactions that arrive together as a group.
  return Promise.all(
    changes.map(async (change) => {
      const alone = await handle.commit([change]);
      return isRefusal(alone) ? alone : undefined;
    }),
  );
};

/** Judges changes as `commitRows` does, on what is stored now, and makes none. A missing table counts as empty. */
export const judgeRows: CommitRows = async (handle, changes) =>
  Promise.all(
    changes.map(async (change) => {
      const read = await handle.readEntity(change.key);
      const existing = isRefusal(read) ? undefined : read;
      const judged = judgeChanges(
        [change],
        handle.traits,
        () => anyTimestamp,
        () => '',
        () => existing,
      );
      return isRefusal(judged) ? judged : undefined;
    }),
  );

/** Stands in for the Timestamp of a change that is not made. */
const anyTimestamp = new Date(0).toISOString();
