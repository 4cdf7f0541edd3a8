import type { EntityText } from '../entity/entity.js';
import type { Engine } from './commit-queue.js';

/** Entities fetched in one hop to the engine's threads while a filter is looked for. */
const chunkRows = 1000;

/** Bytes fetched in one hop at most; the default of 16 KiB costs a hop every 25 entities. Source: measurements. */
const chunkBytes = 1024 * 1024;

/**
 * The values of a range of keys, chunk by chunk, on one snapshot. The next chunk is asked for before the present one is
 * handed out, so that the engine reads while the filter runs.
 *
 * `rowsMax` is how many values will be wanted at most, if known. Errors: the abort reason of the signal.
 */
export async function* readRange(
  engine: Engine,
  range: { gte: string; lt: string },
  rowsMax: number | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly EntityText[]> {
  const options = { ...range, highWaterMarkBytes: chunkBytes, ...(rowsMax === undefined ? {} : { limit: rowsMax }) };
  const values = engine.values(options);
  try {
    const size = Math.min(rowsMax ?? chunkRows, chunkRows + 1);
    let chunk = await values.nextv(size);
    let wanted = rowsMax;
    while (chunk.length > 0) {
      if (wanted !== undefined) wanted -= chunk.length;
      const next = wanted === undefined || wanted > 0 ? values.nextv(size) : Promise.resolve([]);
      // Handed out first, awaited later: a rejection in between must not be unhandled.
      next.catch(() => {});
      yield chunk;
      signal?.throwIfAborted();
      chunk = await next;
    }
  } finally {
    await values.close();
  }
}
