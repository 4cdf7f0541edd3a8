import type { EntityKey, EntityText } from '../../../entity/stored/entity.js';
import { onlyPartition } from '../../../query/plan/key-ranges.js';
import type { KeyRange, PageStart, QueryPlan } from '../../../query/plan/plan.js';
import type { Engine } from '../engine/engine.js';
import { encodeEntityKey, encodeRange, endOfRows, type StoredRange } from '../engine/key-encoding.js';
import { findChange } from '../log/tail.js';
import { mergeRecords, type RowSource } from '../read/merge-rows.js';
import type { RangeReading } from '../read/read-range.js';
import { placeOf, placeOfRow, placeRange, textOf } from './ordinal-encoding.js';

/** The approximate size of a chunk of entities, in bytes, and their initial and maximum number. */
const chunk = { bytes: 1024 * 1024, first: 16, most: 512 } as const;

/** A row of a table in some order. `row` is its key without the prefix of the table. */
interface PlacedRow {
  readonly row: string;
  readonly place: string;
}

interface PlacedEntity {
  readonly place: string;
  readonly text: EntityText;
}

/** The rows of a table in insertion order, merged from its layers. */
export class PlacedRows {
  readonly #engine: Engine;
  readonly #sources: () => readonly RowSource[];
  readonly #reading: Pick<RangeReading, 'hold'>;

  /** `sources` is called before each read of the engine, which must not change during the read. `hold` gets a promise for its end. */
  constructor(engine: Engine, sources: () => readonly RowSource[], reading: Pick<RangeReading, 'hold'> = {}) {
    this.#engine = engine;
    this.#sources = sources;
    this.#reading = reading;
  }

  /** Yields the rows of ranges in insertion order, from the start of the plan. */
  async *inOrder(
    { ranges, startAt, filter, rowsMax }: QueryPlan,
    isGone?: () => boolean,
  ): AsyncGenerator<readonly PlacedRow[]> {
    const order = placeRange(onlyPartition(ranges), startAt?.place);
    const sources = this.#sources();
    const own = sources[0]?.prefix ?? '';
    const range = { gte: own + order.gte, lt: own + order.lt };
    const isWanted = rowTest(ranges);
    const reading = { ...this.#reading, rowsMax: filter || isWanted ? undefined : rowsMax + 1, isGone };
    for await (const { rows, texts } of mergeRecords(this.#engine, sources, range, reading)) {
      const list = texts.map((row, at): PlacedRow => ({ row, place: placeOfRow(rows[at] ?? '') }));
      yield isWanted ? list.filter(({ row }) => isWanted(row)) : list;
    }
  }

  /** Yields the rows with these keys in insertion order, from the start of the plan. */
  async *lookUp(keys: readonly EntityKey[], startAt: PageStart | undefined): AsyncGenerator<readonly PlacedRow[]> {
    const rows = keys.map((key) => encodeEntityKey('', key));
    const found: PlacedRow[] = [];
    for (let at = 0; at < rows.length; at += chunk.first) {
      // Keeps only the places, because the entities can be large.
      const part = rows.slice(at, at + chunk.first);
      for (const [index, stored] of (await this.#read(part)).entries()) {
        if (stored !== undefined) found.push({ row: part[index] ?? '', place: placeOf(stored) });
      }
    }
    const from = startAt?.place ?? '';
    yield found.filter(({ place }) => place >= from).sort((a, b) => (a.place < b.place ? -1 : 1));
  }

  /** Yields the entities of rows in chunks of bounded size. `rowsWanted` returns the number that the caller still needs. */
  async *entities(
    rows: AsyncIterable<readonly PlacedRow[]> | Iterable<readonly PlacedRow[]>,
    rowsWanted: () => number = () => Infinity,
  ): AsyncGenerator<readonly PlacedEntity[]> {
    let size: number = chunk.first;
    for await (const list of rows) {
      for (let at = 0; at < list.length; ) {
        const part = list.slice(at, at + Math.min(size, rowsWanted()));
        const found = await this.#read(part.map(({ row }) => row));
        const entities = part.map(({ place }, index) => ({ place, text: textOf(found[index] ?? '') }));
        yield entities;
        at += part.length;
        const bytes = entities.reduce((sum, { text }) => sum + text.length, 0);
        size = Math.max(1, Math.min(chunk.most, 4 * size, Math.floor((chunk.bytes * part.length) / bytes)));
      }
    }
  }

  /** Returns the records of entities; undefined for missing ones. */
  async #read(rows: readonly string[]): Promise<readonly (string | undefined)[]> {
    const found: (string | undefined)[] = new Array(rows.length);
    let left = rows.map((_, at) => at);
    for (const { prefix, tail } of this.#sources()) {
      if (left.length === 0) break;
      const keys = left.map((at) => prefix + rows[at]);
      const values = await this.#engine.getMany(keys);
      for (const [index, at] of left.entries()) {
        const change = findChange(tail, keys[index] ?? '');
        found[at] = change ? (change.value ?? undefined) : values[index];
      }
      left = left.filter((at) => found[at] === undefined);
    }
    // A tombstone is empty.
    return found.map((stored) => stored || undefined);
  }
}

/** Returns a test of keys without prefix: whether a range contains them. Undefined if all rows of the order match. */
function rowTest(ranges: readonly KeyRange[]): ((row: string) => boolean) | undefined {
  const isWhole = ({ from, to }: KeyRange) => from?.rowKey === undefined && to?.rowKey === undefined;
  const [first] = ranges;
  if (first && isWhole(first) && (onlyPartition(ranges) !== undefined || (!first.from && !first.to))) return undefined;
  const stored: readonly StoredRange[] = ranges.map((range) => encodeRange('', range, true));
  return (row) => {
    // Ranges are disjoint and ascending: finds the first one that does not end before the row.
    let [low, high] = [0, stored.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((stored[middle]?.lt ?? '') <= row) low = middle + 1;
      else high = middle;
    }
    return (stored[low]?.gte ?? endOfRows) <= row;
  };
}
