import type { EntityText } from '../../../entity/stored/entity.js';
import { compileFilterWith, compileTextTest, type RowTest } from '../../../query/filter/evaluate-filter.js';
import { type Filter, propertiesOf } from '../../../query/filter/filter.js';
import type { QueryPlan } from '../../../query/plan/plan.js';
import { EventLoopTurn } from '../../event-loop-turn.js';
import { GrowingPage } from '../../growing-page.js';
import type { Page } from '../../store.js';
import type { Layer, TableRecord } from '../directories/table-directory.js';
import type { Engine } from '../engine/engine.js';
import type { EngineGate } from '../engine/engine-gate.js';
import { encodeRange, prefixOfLayer, type StoredRange } from '../engine/key-encoding.js';
import type { EngineReopener } from '../engine/reopen-engine.js';
import type { CommitQueue } from '../log/commit-queue.js';
import type { CacheBlock } from './cache-block.js';
import { type Column, markOf } from './cache-column.js';
import { readRows, sourcesOf } from './merge-rows.js';
import { columnsMax, type ReadCache } from './read-cache.js';

/** The parts of a store that a read of a page needs. */
export interface PageSource {
  readonly engine: Engine;
  readonly queue: CommitQueue;
  readonly cache: ReadCache;
  readonly reopener: EngineReopener;
  readonly gate: EngineGate;
}

/** The location of a table's rows. */
export interface TableRows {
  /** The prefixes of its layers, nearest first. A row or a tombstone hides the rows below. */
  readonly prefixes: readonly [own: string, ...below: string[]];
  /** Whether the table is in insertion order. Its records then have places, see `ordinal-encoding.ts`. */
  readonly isPlaced: boolean;
}

/** Returns the location of the rows of a table with these layers. */
export function rowsOf(layers: readonly Layer[], { order }: Pick<TableRecord, 'order'>): TableRows {
  const [own = '', ...below] = layers.map(prefixOfLayer);
  return { prefixes: [own, ...below], isPlaced: order === 'insertion' };
}

/**
 * Reads one page of a table, as of the first read of the cache: from the cache up to the first miss, then from the engine. Returns
 * undefined if the engine cannot be scanned now. `isGone`: whether the client has disconnected. Errors: Abandoned.
 */
export async function readPage(
  { engine, queue, cache, reopener, gate }: PageSource,
  { prefixes, isPlaced }: TableRows,
  plan: QueryPlan,
  isGone?: () => boolean,
): Promise<Page | undefined> {
  const turn = new EventLoopTurn(isGone);
  const [prefix] = prefixes;
  const ranges = plan.ranges.map((range) => encodeRange(prefix, range, isPlaced));
  const page = new GrowingPage(plan);
  const walk = new CacheWalk(cache, prefix, ranges, plan);
  let state = walk.advance(page, turn);
  if (state === 'done') return page.finish();

  if (reopener.scannable) return undefined;
  gate.enter();
  // Inside the gate the engine does not change, and the tail is read now, so all further reads show this moment.
  try {
    const fill = cache.startFill(prefix, walk.read, queue.tail);
    const sources = sourcesOf(queue.tail, prefixes);
    while (state === 'paused') {
      await turn.next();
      state = fill.hasChanged ? 'miss' : walk.advance(page, turn);
    }
    if (state === 'miss') {
      const hold = (closed: Promise<unknown>) => gate.hold(closed);
      const rows = (range: StoredRange, rowsMax: number | undefined) =>
        readRows(engine, sources, range, { isGone, fill, hold, rowsMax });
      await scan(rows, walk.rest, plan, page, turn);
    }
    return page.finish();
  } finally {
    gate.leave();
  }
}

/** Adds rows from the engine to a page until it is full. `rowsIn` yields the rows of a range in chunks. */
async function scan(
  rowsIn: (range: StoredRange, rowsMax: number | undefined) => AsyncIterable<readonly EntityText[]>,
  ranges: readonly StoredRange[],
  { filter }: QueryPlan,
  page: GrowingPage,
  turn: EventLoopTurn,
): Promise<void> {
  const test = filter && compileTextTest(filter);
  for (const range of ranges) {
    for await (const chunk of rowsIn(range, test ? undefined : page.rowsWanted)) {
      const matches = test && ((row: number) => test(chunk[row] ?? ''));
      for (let row = 0; row < chunk.length; ) {
        const first = row;
        const stop = matches ? Math.min(chunk.length, row + turn.rows) : chunk.length;
        row = page.addRows(chunk, first, stop, matches);
        if (row < stop) return;
        if (turn.isOver(row - first)) await turn.next();
      }
    }
  }
}

/** Why a walk stopped: the page is full or the ranges ended, the cache lacks the next row, or the turn is over. */
type WalkState = 'done' | 'miss' | 'paused';

/** Reads a page from the cache, up to the first miss. */
export class CacheWalk {
  /** The number of this read. */
  readonly read: number;
  readonly #cache: ReadCache;
  readonly #prefix: string;
  readonly #ranges: readonly StoredRange[];
  readonly #filter: Filter | undefined;
  /** Compiled when the first block is found. */
  #test: BlockTest | undefined;
  #range = 0;
  #from: string;

  constructor(cache: ReadCache, prefix: string, ranges: readonly StoredRange[], plan: QueryPlan) {
    this.read = cache.startRead();
    this.#cache = cache;
    this.#prefix = prefix;
    this.#ranges = ranges;
    this.#from = ranges[0]?.gte ?? '';
    this.#filter = plan.filter;
  }

  get rest(): readonly StoredRange[] {
    const [first, ...others] = this.#ranges.slice(this.#range);
    return first ? [{ gte: this.#from, lt: first.lt }, ...others] : [];
  }

  /** Adds matching rows to a page until the walk must stop. */
  advance(page: GrowingPage, turn: EventLoopTurn): WalkState {
    for (let range = this.#ranges[this.#range]; range; range = this.#nextRange()) {
      while (this.#from < range.lt) {
        const block = this.#cache.find(this.#prefix, this.#from);
        if (!block) return 'miss';
        this.#cache.use(block, this.read);
        const state = this.#readBlock(block, range.lt, page, turn);
        if (state) return state;
      }
    }
    return 'done';
  }

  #nextRange(): StoredRange | undefined {
    const range = this.#ranges[++this.#range];
    if (range) this.#from = range.gte;
    return range;
  }

  #readBlock(block: CacheBlock, lt: string, page: GrowingPage, turn: EventLoopTurn): WalkState | undefined {
    if (this.#filter) this.#test ??= testOf(this.#filter, this.#cache, this.read);
    const matches = this.#test?.(block);
    const end = block.to <= lt ? block.rows : block.find(lt);
    let row = block.find(this.#from);
    for (;;) {
      const first = row;
      // Without a filter, rows take no noticeable time, so the whole block is one stretch.
      const stop = matches ? Math.min(end, row + turn.rows) : end;
      row = page.addRows(block.texts, first, stop, matches);
      if (row < stop) return 'done';
      const isOver = turn.isOver(row - first);
      if (row === end) {
        // Not beyond the range: a write there would count as a change of unread rows.
        this.#from = block.to <= lt ? block.to : lt;
        return isOver ? 'paused' : undefined;
      }
      if (isOver) {
        this.#from = block.keyAt(row);
        return 'paused';
      }
    }
  }
}

/** Returns a test of row positions in a block. */
type BlockTest = (block: CacheBlock) => RowTest<number>;

const emptyColumn: Column = { types: [], json: [], marks: [] };

/** Compiles a filter. It tests columns if the filter has few properties, otherwise the texts of the rows. */
function testOf(filter: Filter, cache: ReadCache, read: number): BlockTest {
  const names = [...propertiesOf(filter)];
  // Compiled once for all blocks, because compiling a long filter takes longer than testing a row.
  const slots = new Map<string, { column: Column }>(names.map((name) => [name, { column: emptyColumn }]));
  const test = compileFilterWith<number>(filter, (name, satisfies, only) => {
    const slot = slots.get(name) ?? { column: emptyColumn };
    const satisfiesAt = (row: number) => {
      const { types, json } = slot.column;
      const type = types[row];
      return type !== undefined && satisfies(type, json[row] ?? '');
    };
    if (only === undefined) return satisfiesAt;
    const mark = markOf(only);
    return (row) => slot.column.marks[row] === mark && satisfiesAt(row);
  });
  let textTest: RowTest<EntityText> | undefined;
  // If one column does not fit, further columns do not either.
  let hasRoom = names.length <= columnsMax;
  return (block) => {
    for (const [name, slot] of slots) {
      const column = hasRoom ? cache.column(block, name, read) : block.column(name);
      if (!column) {
        hasRoom = false;
        textTest ??= compileTextTest(filter);
        const matches = textTest;
        return (row) => matches(block.textAt(row));
      }
      slot.column = column;
    }
    return test;
  };
}
