import type { AbstractSnapshot } from 'abstract-level';
import type { EntityKey } from '../../entity/entity.js';
import { onlyPartition, singleKeys } from '../../query/key-ranges.js';
import type { KeyRange, QueryPlan } from '../../query/plan.js';
import { compileTextTest } from '../../query/text-test.js';
import { EventLoopTurn } from '../event-loop-turn.js';
import { GrowingPage } from '../growing-page.js';
import type { Page } from '../store.js';
import type { Engine } from './engine.js';
import { encodeEntityKey, encodeRange, endOfRows, type StoredRange } from './key-encoding.js';
import { mergeRecords } from './merge-layers.js';
import { placeOf, placeOfRow, placeRange, textOf } from './place-encoding.js';
import type { PageSource } from './read-page.js';

/** Size of the rows that one call to the engine returns, about, and their number at first and at most. Unit: bytes. */
const chunk = { bytes: 1024 * 1024, first: 16, most: 512 } as const;

/** The prefixes of a table and of its layers, nearest first. */
type Prefixes = readonly [own: string, ...below: string[]];

/** The rows of a table in some order: their keys without the prefix of the table, and their places. */
interface PlacedRow {
  readonly row: string;
  readonly place: string;
}

/**
 * Reads one page of a table in the order of insertion. A page begins with a seek to its place. Rows with other keys than the
 * ranges have cost one record of the order each; their entities are not read.
 *
 * - Ranges that are single keys: the entities are looked up and sorted.
 * - Ranges in one partition: reads the order of the partition.
 * - Other ranges: reads the order of the table.
 *
 * The whole page shows one moment. `isGone` returns whether the client has disconnected. Errors: Abandoned after it has.
 */
export async function readPlacedPage(
  { engine, queue, reopener }: PageSource,
  prefixes: Prefixes,
  plan: QueryPlan,
  isGone?: () => boolean,
): Promise<Page> {
  if (plan.ranges.length === 0) return { rows: [], examined: 0 };
  reopener.startScan();
  let snapshot: AbstractSnapshot | undefined;
  try {
    // A batch in progress may be in the engine before its writers know, and other reads do not show it yet.
    snapshot = queue.isWriting ? await queue.readBetween(() => engine.snapshot()) : engine.snapshot();
    const table = new PlacedRows(engine, prefixes, snapshot);
    const keys = singleKeys(plan.ranges);
    const rows = keys ? table.lookUp(keys, plan) : table.inOrder(plan, isGone);
    return await fillPage(rows, table, plan, new EventLoopTurn(isGone));
  } finally {
    // Closing the engine closes the snapshot, too.
    snapshot?.close().catch(() => {});
    reopener.endScan();
  }
}

/** Adds entities to a page until it is full. */
async function fillPage(
  rows: AsyncIterable<readonly PlacedRow[]>,
  table: PlacedRows,
  { filter, ...plan }: QueryPlan,
  turn: EventLoopTurn,
): Promise<Page> {
  const page = new GrowingPage(plan);
  const matches = filter && compileTextTest(filter);
  let size: number = chunk.first;
  for await (const list of rows) {
    for (let at = 0; at < list.length; ) {
      const part = list.slice(at, at + (matches ? size : Math.min(size, page.rowsWanted)));
      const found = await table.read(part.map(({ row }) => row));
      let bytes = 0;
      for (const [index, { place }] of part.entries()) {
        const text = textOf(found[index] ?? '');
        bytes += text.length;
        if ((!matches || matches(text)) && !page.add(text)) return placed(page.finish(), place);
        page.examined++;
      }
      at += part.length;
      size = Math.max(1, Math.min(chunk.most, 4 * size, Math.floor((chunk.bytes * part.length) / bytes)));
      if (turn.isOver(part.length)) await turn.next();
    }
    if (turn.isOver(0)) await turn.next();
  }
  return page.finish();
}

function placed({ next, ...page }: Page, place: string): Page {
  return next ? { ...page, next: { ...next, place } } : page;
}

/** The rows of a table and its layers, at one moment. */
class PlacedRows {
  readonly #engine: Engine;
  readonly #prefixes: Prefixes;
  readonly #snapshot: AbstractSnapshot;

  constructor(engine: Engine, prefixes: Prefixes, snapshot: AbstractSnapshot) {
    this.#engine = engine;
    this.#prefixes = prefixes;
    this.#snapshot = snapshot;
  }

  /** Yields the rows of ranges in their order, from the place at which the plan begins. */
  async *inOrder({ ranges, startAt, filter, rowsMax }: QueryPlan, isGone?: () => boolean) {
    const order = placeRange(onlyPartition(ranges), startAt?.place);
    const layers = this.#prefixes.map((prefix) => ({
      prefix,
      range: { gte: prefix + order.gte, lt: prefix + order.lt },
    }));
    const isWanted = rowTest(ranges);
    const reading = { snapshot: this.#snapshot, rowsMax: filter || isWanted ? undefined : rowsMax + 1, isGone };
    for await (const { rows, texts } of mergeRecords(this.#engine, layers, reading)) {
      const list = texts.map((row, at): PlacedRow => ({ row, place: placeOfRow(rows[at] ?? '') }));
      yield isWanted ? list.filter(({ row }) => isWanted(row)) : list;
    }
  }

  /** Yields the rows with these keys in the order of the table, from the place at which the plan begins. */
  async *lookUp(keys: readonly EntityKey[], { startAt }: QueryPlan) {
    const rows = keys.map((key) => encodeEntityKey('', key));
    const found: PlacedRow[] = [];
    for (let at = 0; at < rows.length; at += chunk.first) {
      // Only the places are kept: all entities together can be large.
      const part = rows.slice(at, at + chunk.first);
      for (const [index, stored] of (await this.read(part)).entries()) {
        if (stored !== undefined) found.push({ row: part[index] ?? '', place: placeOf(stored) });
      }
    }
    const from = startAt?.place ?? '';
    yield found.filter(({ place }) => place >= from).sort((a, b) => (a.place < b.place ? -1 : 1));
  }

  /** Returns the records of entities; undefined for those that are missing. */
  async read(rows: readonly string[]): Promise<readonly (string | undefined)[]> {
    const found: (string | undefined)[] = new Array(rows.length);
    let left = rows.map((_, at) => at);
    for (const prefix of this.#prefixes) {
      if (left.length === 0) break;
      const keys = left.map((at) => prefix + rows[at]);
      const values = await this.#engine.getMany(keys, { snapshot: this.#snapshot });
      for (const [index, at] of left.entries()) found[at] = values[index];
      left = left.filter((at) => found[at] === undefined);
    }
    // A tombstone is empty.
    return found.map((stored) => stored || undefined);
  }
}

/** Returns a test of keys without prefix: whether one of the ranges has them. Undefined if all rows of the order do. */
function rowTest(ranges: readonly KeyRange[]): ((row: string) => boolean) | undefined {
  const isWhole = ({ from, to }: KeyRange) => from?.rowKey === undefined && to?.rowKey === undefined;
  const [first] = ranges;
  if (first && isWhole(first) && (onlyPartition(ranges) !== undefined || (!first.from && !first.to))) return undefined;
  const stored: readonly StoredRange[] = ranges.map((range) => encodeRange('', range, true));
  return (row) => {
    // They are disjoint and ascending: finds the first one that does not end before the row.
    let [low, high] = [0, stored.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((stored[middle]?.lt ?? '') <= row) low = middle + 1;
      else high = middle;
    }
    return (stored[low]?.gte ?? endOfRows) <= row;
  };
}
