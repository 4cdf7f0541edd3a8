import type { Change } from '../../entity/stored/change.js';
import { entityBytes } from '../../entity/stored/entity-size.js';
import { judgeChanges } from '../../store/judge-changes.js';
import { isRefusal, type Refusal, type TableHandle } from '../../store/store.js';
import type { TransferItem } from './transfer-item.js';

/** Number of entities in one transaction, and their size. (Our choice: other writes wait little.) Unit: bytes. */
const groupMax = { rows: 500, bytes: 4 * 1024 * 1024 } as const;

/** A row with the change that it asks for. */
export interface PreparedRow {
  readonly item: Extract<TransferItem, { readonly kind: 'entity' }>;
  readonly change: Exclude<Change, { readonly kind: 'delete' }>;
}

/** The rows of one transaction: few, small, and each of another entity. */
export class RowGroup {
  #rows: PreparedRow[] = [];
  #keys = new Set<string>();
  #bytes = 0;

  /** Adds a row. Returns false if it has to wait for the next transaction. */
  add(row: PreparedRow): boolean {
    const { key, properties } = row.change;
    // What a row has beside its entity is kept, too.
    const bytes = Math.max(entityBytes(key, properties), row.item.units);
    const text = `${key.partitionKey}\0${key.rowKey}`;
    const isFull =
      this.#rows.length === groupMax.rows || (this.#rows.length > 0 && this.#bytes + bytes > groupMax.bytes);
    if (isFull || this.#keys.has(text)) return false;
    this.#rows.push(row);
    this.#keys.add(text);
    this.#bytes += bytes;
    return true;
  }

  /** Returns the rows, and begins the next transaction. */
  takeAll(): readonly PreparedRow[] {
    const rows = this.#rows;
    this.#rows = [];
    // Not cleared: a table that V8 cleared refers to the next one, so it would keep the keys of all groups until the old generation is collected.
    this.#keys = new Set();
    this.#bytes = 0;
    return rows;
  }
}

/**
 * Makes changes in order. Returns, for each, why it was refused, or undefined. The others are made.
 */
type CommitRows = (handle: TableHandle, changes: readonly Change[]) => Promise<readonly (Refusal | undefined)[]>;

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
