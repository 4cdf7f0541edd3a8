import type { AbstractValueIterator } from 'abstract-level';
import type { EntityText } from '../../../entity/stored/entity.js';
import { Abandoned } from '../../store.js';
import { chunkOptions, type Engine, mergeChanges, type RecordChange } from '../engine/engine.js';
import { keyAfter, keyOfText, type StoredRange } from '../engine/key-encoding.js';
import { within } from '../log/tail.js';
import type { RangeFill } from './read-cache.js';

/** Number of entities per call to the engine, if a filter tests them. */
const chunkRows = 1000;

/**
 * Number of entities in the first call without a filter, because most such ranges have fewer. An iterator allocates memory for the
 * requested number, and keeps it until garbage collection. Source: docs/benchmarks.md.
 */
const firstRows = 128;

/** The options of a range read. */
export interface RangeReading {
  /** The maximum number of rows that the caller needs, if known. */
  readonly rowsMax?: number | undefined;
  /** Whether the client has disconnected, which ends the read with an error. */
  readonly isGone?: (() => boolean) | undefined;
  /** The tail's changes of the table at the same moment, in key order, which the rows include. */
  readonly tail?: readonly RecordChange[];
  /** Gets a promise that settles when the iterator is closed, after the last row. */
  readonly hold?: (closed: Promise<unknown>) => void;
  /** Caches all rows. */
  readonly fill: RangeFill;
}

/**
 * Yields the rows of a range in chunks, all of one moment. Requests the next chunk before it yields the current one, so the engine reads
 * while the filter runs. Reads only values: rows contain their keys. Errors: Abandoned if `isGone` returns true.
 */
export async function* readRange(
  engine: Engine,
  { gte, lt }: StoredRange,
  { rowsMax, tail = [], isGone, hold, fill }: RangeReading,
): AsyncGenerator<readonly EntityText[]> {
  const values = engine.values({ ...{ gte, lt }, ...chunkOptions });
  let latest: Promise<readonly EntityText[]> | undefined;
  try {
    const size = rowsMax === undefined ? chunkRows : chunkRows + 1;
    let from = gte;
    let left = rowsMax ?? Number.POSITIVE_INFINITY;
    latest = values.nextv(rowsMax === undefined ? size : Math.min(rowsMax, firstRows));
    let lacked = within(tail, { gte, lt });
    let chunk = await latest;
    for (;;) {
      const exhausted = chunk.length === 0;
      let keys: readonly string[] | undefined;
      // Rows after the last key are unknown, unless the range ended there.
      let to = exhausted ? lt : '';
      if (lacked.length > 0) {
        keys = chunk.map((text) => keyOfText(fill.prefix, text));
        to ||= keyAfter(keys.at(-1) ?? from);
        const later = lacked.findIndex(({ key }) => key >= to);
        const known = later < 0 ? lacked : lacked.slice(0, later);
        lacked = lacked.slice(known.length);
        [keys, chunk] = mergeChanges(keys, chunk, known);
      }
      left -= chunk.length;
      // Each deletion in the tail needs one more row from the engine.
      const wanted = Math.min(size, left + lacked.length);
      const next = exhausted || left <= 0 ? undefined : values.nextv(wanted);
      if (next) {
        latest = next;
        // Awaited later: an earlier rejection must not count as unhandled.
        next.catch(() => {});
      }
      if (fill.isOpen) {
        keys ??= chunk.map((text) => keyOfText(fill.prefix, text));
        to ||= keyAfter(keys.at(-1) ?? from);
        fill.keep(from, to, keys, chunk);
        from = to;
      }
      if (chunk.length > 0) {
        yield chunk;
        if (isGone?.()) throw new Abandoned();
      }
      if (!next) return;
      chunk = await next;
    }
  } finally {
    // Not awaited: the engine closes open iterators when it closes itself.
    const closed = closeIterator(values, latest, gte).catch(() => {});
    hold?.(closed);
  }
}

/**
 * Closes an iterator after one more read. Until garbage collection, an iterator keeps a copy of the last rows outside of the heap, where
 * it triggers no collection: a walk over a million entities left a gigabyte. Reading one row replaces the copy. At its end, an iterator
 * can only read after a seek. Source: docs/benchmarks.md.
 */
export async function closeIterator(
  values: Pick<AbstractValueIterator<Engine, string, string>, 'seek' | 'close'> & {
    nextv(size: number): Promise<unknown>;
  },
  latest: Promise<unknown> | undefined,
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
