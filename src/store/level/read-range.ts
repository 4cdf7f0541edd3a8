import type { AbstractSnapshot, AbstractValueIterator } from 'abstract-level';
import type { EntityText } from '../../entity/entity.js';
import { keyOf } from '../../entity/write-row.js';
import { Abandoned } from '../store.js';
import type { Engine } from './engine.js';
import { encodeEntityKey, keyAfter } from './key-encoding.js';
import type { RangeFill } from './range-fill.js';
import type { StoredRange } from './read-cache.js';

/** Entities fetched in one hop to the engine's threads while a filter is looked for. */
const chunkRows = 1000;

/**
 * Entities fetched first where all of them are wanted. Most such ranges have no more, and an iterator takes room for as
 * many as it is asked for, which it keeps until it is collected. Source: docs/benchmarks.md.
 */
const firstRows = 128;

/**
 * LevelDB's own: the bytes fetched in one hop at most. The default of 16 KiB costs a hop every 25 entities.
 * Source: docs/benchmarks.md.
 */
const ownOptions: object = { highWaterMarkBytes: 1024 * 1024 };

/** How a range is read. */
export interface RangeReading {
  /** How many rows will be wanted at most, if known. */
  readonly rowsMax?: number | undefined;
  /** The state to read; the present one where there is none. */
  readonly snapshot?: AbstractSnapshot | undefined;
  /** Ends the reading with an error once it says that nobody waits for the rows. */
  readonly isGone?: (() => boolean) | undefined;
  /** What takes in the rows on the way. */
  readonly fill: RangeFill;
}

/**
 * The rows of a range of keys, chunk by chunk, on one snapshot. The next chunk is asked for before the present one is
 * handed out, so that the engine reads while the filter runs.
 *
 * Only the rows cross over from the engine; their keys, which only a fill wants, are in them.
 * Errors: Abandoned once `isGone`.
 */
export async function* readRange(
  engine: Engine,
  { gte, lt }: StoredRange,
  { rowsMax, snapshot, isGone, fill }: RangeReading,
): AsyncGenerator<readonly EntityText[]> {
  const values = engine.values({
    ...{ gte, lt },
    ...ownOptions,
    ...(snapshot && { snapshot }),
  });
  let latest: Promise<readonly EntityText[]> | undefined;
  try {
    const size = rowsMax === undefined ? chunkRows : chunkRows + 1;
    let from = gte;
    let left = rowsMax ?? Number.POSITIVE_INFINITY;
    latest = values.nextv(rowsMax === undefined ? size : Math.min(rowsMax, firstRows));
    let chunk = await latest;
    for (;;) {
      const exhausted = chunk.length === 0;
      left -= chunk.length;
      const next = exhausted || left <= 0 ? undefined : values.nextv(Math.min(size, left));
      if (next) {
        latest = next;
        // Asked for now, awaited later: a rejection in between must not be unhandled.
        next.catch(() => {});
      }
      if (fill.isOpen) {
        const keys = chunk.map((text) => keyOfText(fill.prefix, text));
        // Behind the last key nothing is known, unless the range ended there.
        const to = exhausted ? lt : keyAfter(keys.at(-1) ?? from);
        fill.keep(from, to, keys, chunk);
        from = to;
      }
      if (exhausted) return;
      yield chunk;
      if (isGone?.()) throw new Abandoned();
      if (!next) return;
      chunk = await next;
    }
  } finally {
    // Nobody need wait for it, and the engine closes what is left when it closes itself.
    letGo(values, latest, gte).catch(() => {});
  }
}

/**
 * Closes an iterator, and before that has it read the first row again in place of those it handed out last. It would
 * keep its own copy of them until it is collected, and as they are no part of the heap nothing hurries to collect it: a
 * walk over a million entities left a gigabyte. One that has come to its end reads only after a seek. Source: docs/benchmarks.md.
 */
async function letGo(
  values: AbstractValueIterator<Engine, string, string>,
  latest: Promise<readonly EntityText[]> | undefined,
  start: string,
): Promise<void> {
  try {
    await latest;
    values.seek(start);
    await values.nextv(1);
  } finally {
    await values.close();
  }
}

/** The stored key of a row. */
function keyOfText(prefix: string, text: EntityText): string {
  return encodeEntityKey(prefix, { partitionKey: keyOf(text, 'PartitionKey'), rowKey: keyOf(text, 'RowKey') });
}
