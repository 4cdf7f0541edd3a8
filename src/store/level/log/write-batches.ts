import { setImmediate } from 'node:timers/promises';
import type { Engine, RecordChange } from '../engine/engine.js';
import { commitsKey, provedMark } from '../engine/key-encoding.js';

/** The maximum number of changes in a batch, which waits for a thread. (Our choice: more block the event loop; fewer let writers ahead.) */
const batchChanges = 1024;

/** A batch also ends at this length. Unit: UTF-16 code units. (Our choice.) */
const batchUnits = 512 * 1024;

/**
 * Returns a function that writes changes to an engine in batches, and the number of their last commit at the end. The first batch is
 * built immediately, while its strings are still in the CPU cache. A chained batch costs a third of one from an array.
 */
export function prepareBatches(engine: Engine, changes: Iterable<RecordChange>, last: number): () => Promise<void> {
  const batches = batchesOf(engine, changes, last);
  let batch = batches.next();
  return async () => {
    for (; !batch.done; batch = batches.next()) await batch.value.write();
  };
}

/**
 * Returns a function that writes changes and the number of their last commit to an engine in one synced batch. After a power failure the
 * engine has all of it or nothing, independent of the log.
 */
export async function prepareWholeBatch(
  engine: Engine,
  changes: Iterable<RecordChange>,
  last: number,
): Promise<() => Promise<void>> {
  const batch = engine.batch();
  for (const change of changes) {
    add(batch, change);
    if (batch.length % batchChanges === 0) await setImmediate();
  }
  const durable: object = { sync: true };
  return () => batch.put(commitsKey, `${last}${provedMark}`).write(durable);
}

function* batchesOf(engine: Engine, changes: Iterable<RecordChange>, last: number) {
  let batch = engine.batch();
  let units = 0;
  for (const change of changes) {
    add(batch, change);
    units += change.key.length + (change.value?.length ?? 0);
    if (batch.length < batchChanges && units < batchUnits) continue;
    yield batch;
    batch = engine.batch();
    units = 0;
  }
  yield batch.put(commitsKey, String(last));
}

function add(batch: ReturnType<Engine['batch']>, { key, value }: RecordChange): void {
  if (value === null) batch.del(key);
  else batch.put(key, value);
}
