import type { Engine, RecordChange } from '../engine/engine.js';
import { commitsKey, provedMark } from '../engine/key-encoding.js';
import { damaged } from '../explain-failure.js';
import type { StoredLog } from './read-segments.js';
import { segmentName } from './segment-header.js';
import { prepareBatches } from './write-batches.js';

const noFile = { name: 'COMMITS', number: 0, bytes: 0 };

/**
 * Gives an open engine all commits of the log: it may have lost any part of the unproved ones. A commit has absolute values, so it may be
 * replayed. Returns the number of the engine's last commit, which is beyond the log only if the log could not restart after a failed sync.
 *
 * `location` names the data in messages. Errors: StoreError if the log lacks commits that it had on disk.
 */
export async function replayCommits(engine: Engine, log: StoredLog, location: string): Promise<number> {
  const reached = engine.getSync(commitsKey) ?? '0';
  checkComplete(log, reached, location);
  const has = Number.parseInt(reached, 10);
  // The log has only older values.
  if (has > log.last) return has;
  await prepareBatches(engine, changesIn(log), log.last)();
  return log.last;
}

/**
 * Checks that a log has all commits that were on disk. `reached` is the engine's record of its last commit.
 *
 * Errors: StoreError if the log lacks commits of the engine, which gets them later, or if there is a gap between the engine's last commit
 * and the first one of the log.
 */
export function checkComplete({ first, last, files, warning }: StoredLog, reached: string, location: string): void {
  const has = Number.parseInt(reached, 10);
  if (has > last && !reached.endsWith(provedMark)) {
    const { name, number, bytes } = files.findLast((file) => file.last > 0) ?? files.at(-1) ?? noFile;
    const fault = warning
      ? `the file ${name} ends at byte ${bytes}, before commit ${has}, which was on disk`
      : `the file ${segmentName(number + 1)} is missing, or ${name} was cut at byte ${bytes}: commit ${has} was on disk`;
    throw damaged(fault, location);
  }
  if (first > has + 1) {
    throw damaged(`the file ${segmentName((files[0]?.number ?? 1) - 1)} is missing`, location);
  }
}

function* changesIn(log: StoredLog): Generator<RecordChange> {
  for (const { changes } of log.commits()) yield* changes;
}
