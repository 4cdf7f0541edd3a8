import type { AbstractIterator, AbstractSnapshot } from 'abstract-level';
import type { EntityText } from '../../entity/entity.js';
import { Abandoned } from '../store.js';
import { type Engine, tombstone } from './engine.js';
import { keyAfter, type StoredRange } from './key-encoding.js';
import { closeIterator, type RangeReading } from './read-range.js';

/** Number of rows that one call to the engine returns, the first and the later ones. */
const [firstRows, chunkRows] = [128, 1000];

/** LevelDB's option for the maximum size that one call returns. Unit: bytes. Source: docs/benchmarks.md. */
const levelOptions: object = { highWaterMarkBytes: 1024 * 1024 };

/** A range in one layer. */
export interface LayerRange {
  /** What the keys of the layer's rows begin with. */
  readonly prefix: string;
  readonly range: StoredRange;
}

/**
 * Yields the rows of a range that several layers share, in chunks, all from one moment. The first layer is the nearest:
 * its rows hide those of the others, and its tombstones do so without being rows.
 *
 * Errors: Abandoned if `isGone` returns true.
 */
export async function* mergeLayers(
  engine: Engine,
  layers: readonly LayerRange[],
  { fill, ...reading }: Partial<RangeReading> = {},
): AsyncGenerator<readonly EntityText[]> {
  const [nearest] = layers;
  if (!nearest) return;
  const { prefix, range } = nearest;
  let from = range.gte;
  for await (const { rows, texts, last } of mergeRecords(engine, layers, reading)) {
    if (fill?.isOpen) {
      const to = last === undefined ? range.lt : keyAfter(prefix + last);
      const keys = rows.map((row) => prefix + row);
      fill.keep(from, to, keys, texts);
      from = to;
    }
    if (texts.length > 0) yield texts;
  }
}

/** A chunk of what several layers have together. */
export interface MergedRecords {
  /** The keys without the prefix of a layer. */
  readonly rows: readonly string[];
  readonly texts: readonly EntityText[];
  /** All records up to and with this one were read; absent in the last chunk. */
  readonly last: string | undefined;
}

/** Yields what several layers have together, in chunks; with `keepsTombstones`, the tombstones too. */
export async function* mergeRecords(
  engine: Engine,
  layers: readonly LayerRange[],
  {
    rowsMax,
    snapshot,
    isGone,
    keepsTombstones = false,
  }: Omit<Partial<RangeReading>, 'fill'> & { readonly keepsTombstones?: boolean } = {},
): AsyncGenerator<MergedRecords> {
  // All iterators are made in one turn, so that they show one moment.
  const cursors = layers.map((layer) => new LayerCursor(engine, layer, { rowsMax, snapshot }));
  try {
    for (;;) {
      await Promise.all(cursors.map((cursor) => cursor.load()));
      if (isGone?.()) throw new Abandoned();
      const merged = mergeLoaded(cursors, keepsTombstones);
      yield merged;
      if (merged.last === undefined) return;
    }
  } finally {
    for (const cursor of cursors) cursor.close();
  }
}

/** Merges the loaded rows up to where one of the cursors needs more. `last` is absent if all of them are at their end. */
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

/** Reads the rows of one layer in order. */
class LayerCursor {
  readonly #iterator: AbstractIterator<Engine, string, string>;
  readonly #start: string;
  readonly #prefixLength: number;
  #size: number;
  #chunk: readonly (readonly [key: string, text: EntityText])[] = [];
  #at = 0;
  #isDone = false;
  #latest: Promise<unknown> | undefined;
  /** The key of the current row without the prefix; undefined if the loaded rows are at their end. */
  row: string | undefined;
  text: EntityText = '';

  constructor(
    engine: Engine,
    { prefix, range }: LayerRange,
    { rowsMax, snapshot }: { readonly rowsMax: number | undefined; readonly snapshot: AbstractSnapshot | undefined },
  ) {
    this.#iterator = engine.iterator({ ...range, ...levelOptions, ...(snapshot && { snapshot }) });
    this.#start = range.gte;
    this.#prefixLength = prefix.length;
    this.#size = rowsMax === undefined ? chunkRows : Math.min(rowsMax, firstRows);
  }

  /** Reads on if the loaded rows are at their end. */
  async load(): Promise<void> {
    if (this.row !== undefined || this.#isDone) return;
    const reading = this.#iterator.nextv(this.#size);
    this.#latest = reading;
    this.#chunk = await reading;
    this.#size = chunkRows;
    this.#isDone = this.#chunk.length === 0;
    this.#at = -1;
    this.advance();
  }

  /** Goes to the next loaded row. */
  advance(): void {
    const entry = this.#chunk[++this.#at];
    this.row = entry?.[0].slice(this.#prefixLength);
    this.text = entry?.[1] ?? '';
  }

  /** Frees the iterator. Not awaited: the engine closes open iterators when it closes itself. */
  close(): void {
    closeIterator(this.#iterator, this.#latest, this.#start).catch(() => {});
  }
}
