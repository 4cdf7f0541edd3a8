import type { AbstractSnapshot } from 'abstract-level';
import type { EntityText } from '../entity/entity.js';
import type { Engine } from './commit-queue.js';

/** Entities fetched in one hop to the engine's threads while a filter is looked for. */
const chunkRows = 1000;

/** Bytes fetched in one hop at most; the default of 16 KiB costs a hop every 25 entities. Source: measurements. */
const chunkBytes = 1024 * 1024;

/** How a range is read. */
export interface RangeReading {
  /** How many values will be wanted at most, if known. */
  readonly rowsMax?: number | undefined;
  /** The state to read; the present one where there is none. */
  readonly snapshot?: AbstractSnapshot | undefined;
  /** Ends the reading with an error when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The values of a range of keys, chunk by chunk, on one snapshot. The next chunk is asked for before the present one is
 * handed out, so that the engine reads while the filter runs.
 *
 * Errors: the abort reason of the signal.
 */
export async function* readRange(
  engine: Engine,
  range: { gte: string; lt: string },
  { rowsMax, snapshot, signal }: RangeReading,
): AsyncGenerator<readonly EntityText[]> {
  const options = {
    ...range,
    highWaterMarkBytes: chunkBytes,
    ...(rowsMax !== undefined && { limit: rowsMax }),
    ...(snapshot && { snapshot }),
  };
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
