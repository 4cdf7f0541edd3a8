import type { AbstractIterator } from 'abstract-level';
import type { EntityText } from '../../../entity/stored/entity.js';
import { Abandoned } from '../../store.js';
import { chunkOptions, type Engine, mergeChanges, type RecordChange, tombstone } from '../engine/engine.js';
import { keyAfter, moveRange, type StoredRange } from '../engine/key-encoding.js';
import { type Tail, within } from '../log/tail.js';
import { closeIterator, type RangeReading, readRange } from './read-range.js';

/** Number of rows in the first call to the engine, and the maximum. Each call returns `growth` times as many as the previous one. */
const [firstRows, chunkRows, growth] = [128, 1000, 8];

/** A source of a table's rows at one moment: its own rows, or a layer. */
export interface RowSource {
  readonly prefix: string;
  readonly tail: readonly RecordChange[];
}

/** Returns the current sources of a table, nearest first. The caller must stay inside the gate until it has read them. */
export function sourcesOf(tail: Tail, prefixes: readonly string[]): readonly RowSource[] {
  return prefixes.map((prefix) => ({ prefix, tail: tail.slice(prefix) }));
}

/**
 * Yields the rows of a range of a table in chunks, all from one moment. The range has the prefix of the nearest source, whose rows and
 * tombstones hide rows of the others. Errors: Abandoned if `isGone` returns true.
 */
export function readRows(
  engine: Engine,
  sources: readonly RowSource[],
  range: StoredRange,
  reading: RangeReading,
): AsyncGenerator<readonly EntityText[]> {
  const [only] = sources;
  return only && sources.length === 1
    ? readRange(engine, range, { ...reading, tail: only.tail })
    : mergeLayers(engine, sources, range, reading);
}

/** Like `readRows`, for several sources. */
async function* mergeLayers(
  engine: Engine,
  sources: readonly RowSource[],
  range: StoredRange,
  { fill, ...reading }: RangeReading,
): AsyncGenerator<readonly EntityText[]> {
  const { prefix } = fill;
  let from = range.gte;
  for await (const { rows, texts, last } of mergeRecords(engine, sources, range, reading)) {
    if (fill.isOpen) {
      const to = last === undefined ? range.lt : keyAfter(prefix + last);
      const keys = rows.map((row) => prefix + row);
      fill.keep(from, to, keys, texts);
      from = to;
    }
    if (texts.length > 0) yield texts;
  }
}

/** A chunk of merged layers. */
export interface MergedRecords {
  /** The keys without the prefix of a layer. */
  readonly rows: readonly string[];
  readonly texts: readonly EntityText[];
  /** The last record of the chunk, hidden or not; undefined in the last chunk. */
  readonly last: string | undefined;
}

/** The options of a merge. */
interface MergeReading extends Omit<Partial<RangeReading>, 'fill'> {
  readonly keepsTombstones?: boolean;
  /** Whether LevelDB caches the blocks. Default: true. */
  readonly fillsCache?: boolean;
}

/** Yields the merged records of a range of the nearest source, in chunks. Without `hold`, the iterators are closed at the end. */
export async function* mergeRecords(
  engine: Engine,
  sources: readonly RowSource[],
  range: StoredRange,
  { rowsMax, isGone, hold, keepsTombstones = false, fillsCache = true }: MergeReading = {},
): AsyncGenerator<MergedRecords> {
  // Creates all iterators in one turn, so that they show one moment.
  const [nearest] = sources;
  const cursors = sources.map((source) => {
    const itsRange = moveRange(range, nearest?.prefix ?? '', source.prefix);
    return new LayerCursor(engine, source, itsRange, { rowsMax, fillsCache });
  });
  try {
    for (;;) {
      await Promise.all(cursors.map((cursor) => cursor.load()));
      if (isGone?.()) throw new Abandoned();
      const merged = mergeLoaded(cursors, keepsTombstones);
      yield merged;
      if (merged.last === undefined) return;
    }
  } finally {
    const closed = Promise.all(cursors.map((cursor) => cursor.close()));
    if (hold) hold(closed);
    else await closed;
  }
}

/** Merges the loaded rows until a cursor needs more. `last` is undefined if all cursors are at their end. */
function mergeLoaded(cursors: readonly LayerCursor[], keepsTombstones: boolean): MergedRecords {
  const [rows, texts]: [string[], EntityText[]] = [[], []];
  const open = cursors.filter((cursor) => cursor.row !== undefined);
  let last: string | undefined;
  while (open.length > 0) {
    let lowest = open[0] as LayerCursor;
    for (const cursor of open) if ((cursor.row as string) < (lowest.row as string)) lowest = cursor;
    const row = lowest.row as string;
    if (keepsTombstones || lowest.text !== tombstone) {
      rows.push(row);
      texts.push(lowest.text);
    }
    last = row;
    let needsMore = false;
    for (const cursor of open) {
      if (cursor.row !== row) continue;
      cursor.advance();
      needsMore ||= cursor.row === undefined;
    }
    if (needsMore) break;
  }
  return { rows, texts, last };
}

class LayerCursor {
  readonly #iterator: AbstractIterator<Engine, string, string>;
  readonly #start: string;
  readonly #prefix: string;
  /** The unmerged changes of the tail. */
  #tail: readonly RecordChange[];
  #size: number;
  #keys: readonly string[] = [];
  #texts: readonly EntityText[] = [];
  #at = 0;
  #isDone = false;
  #latest: Promise<unknown> | undefined;
  /** The key of the current row without the prefix; undefined at the end of the loaded rows. */
  row: string | undefined;
  text: EntityText = '';

  constructor(
    engine: Engine,
    { prefix, tail }: RowSource,
    range: StoredRange,
    { rowsMax, fillsCache }: Pick<MergeReading, 'rowsMax' | 'fillsCache'>,
  ) {
    const options: object = { ...chunkOptions, fillCache: fillsCache };
    this.#iterator = engine.iterator({ ...range, ...options });
    this.#start = range.gte;
    this.#prefix = prefix;
    this.#tail = within(tail, range);
    this.#size = rowsMax === undefined ? chunkRows : Math.min(rowsMax, firstRows);
  }

  /** Loads rows at the end of the loaded ones. */
  async load(): Promise<void> {
    // The tail may have deleted all rows of a chunk.
    while (this.row === undefined && !this.#isDone) {
      const reading = this.#iterator.nextv(this.#size);
      this.#latest = reading;
      const chunk = await reading;
      this.#size = Math.min(chunkRows, growth * this.#size);
      this.#isDone = chunk.length === 0;
      this.#keys = chunk.map(([key]) => key);
      this.#texts = chunk.map(([, text]) => text);
      if (this.#tail.length > 0) this.#merge();
      this.#at = -1;
      this.advance();
    }
  }

  advance(): void {
    this.#at++;
    this.row = this.#keys[this.#at]?.slice(this.#prefix.length);
    this.text = this.#texts[this.#at] ?? '';
  }

  /** Frees the iterator. Never fails: the engine closes open iterators when it closes itself. */
  close(): Promise<void> {
    return closeIterator(this.#iterator, this.#latest, this.#start).catch(() => {});
  }

  /** Merges the tail's changes up to the last loaded row. A tombstone stays, because it hides rows of other sources. */
  #merge(): void {
    const last = this.#keys.at(-1);
    const later = last === undefined ? -1 : this.#tail.findIndex(({ key }) => key > last);
    const known = later < 0 ? this.#tail : this.#tail.slice(0, later);
    this.#tail = this.#tail.slice(known.length);
    [this.#keys, this.#texts] = mergeChanges(this.#keys, this.#texts, known, ({ value }) => value);
  }
}
