import type { PendingChange } from './directories/record-directory.js';
import type { EngineReopener } from './engine/reopen-engine.js';
import type { CommitQueue } from './log/commit-queue.js';

/** A decision, made within one turn of the event loop. */
export interface Decision<T> {
  readonly result: T;
  /** Absent: none. The result may still depend on earlier decisions. */
  readonly changes?: readonly PendingChange[];
}

/**
 * Decides, and writes the changes in one batch. Returns the result once the batch and all earlier decisions are written.
 *
 * `decision` runs in one turn of the event loop, and so does a commit from finding its table to adding its batch. So every commit is
 * wholly before or after a decision, whatever tables it writes to.
 */
export async function decide<T>(
  { queue, reopener }: { readonly queue: CommitQueue; readonly reopener: EngineReopener },
  decision: () => Decision<T>,
): Promise<T> {
  if (queue.hasFailed) await reopener.reopen();
  const { result, changes } = decision();
  await (changes ? write(queue, changes) : queue.confirm());
  return result;
}

/** Writes changes in one batch. Readers see them once it is written. */
export function write(queue: CommitQueue, changes: readonly PendingChange[]): Promise<void> {
  const records = changes.flatMap((change) => change.records);
  return queue.add(records, () => {
    for (const { written } of changes) written();
  });
}
