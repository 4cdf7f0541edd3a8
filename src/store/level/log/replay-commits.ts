import type { Engine, RecordChange } from '../engine/engine.js';
import { commitsKey, provedMark } from '../engine/key-encoding.js';
import { damaged } from '../explain-failure.js';
import type { FoundLog } from './read-segments.js';
import { segmentName } from './segment-header.js';
import { prepareBatches } from './write-batches.js';

/**
 * Gives an open engine the commits of the log after a kill or a power failure. Returns the number of the last commit that the engine then has,
 * which is beyond the log only if the log could not begin again after a failed sync.
 *
 * All of them, whatever the engine has: it may have lost any part of the commits that it has not proved, and the log has all of these. A
 * commit contains absolute values, so it may be replayed. `location` names the data in messages.
 *
 * Errors: StoreError if the log lacks what it had on disk: commits that the engine has, because it got them later, or those between the ones that the
 * engine has proved and the first one of the log.
 */
export async function replayCommits(engine: Engine, log: FoundLog, location: string): Promise<number> {
  const { first, last, files } = log;
  const reached = engine.getSync(commitsKey) ?? '0';
  const has = Number.parseInt(reached, 10);
  // The log has older values.
  if (has > last && reached.endsWith(provedMark)) return has;
  if (has > last) {
    const { name = 'COMMITS', bytes = 0 } = files.findLast((file) => file.last > 0) ?? files.at(-1) ?? {};
    throw damaged(`the file ${name} ends at byte ${bytes}, before commit ${has}, which was on disk`, location);
  }
  if (first > has + 1) {
    throw damaged(`the file ${segmentName((files[0]?.number ?? 1) - 1)} is missing`, location);
  }
  await prepareBatches(engine, changesIn(log), last)();
  return last;
}

function* changesIn(log: FoundLog): Generator<RecordChange> {
  for (const { changes } of log.commits()) yield* changes;
}
