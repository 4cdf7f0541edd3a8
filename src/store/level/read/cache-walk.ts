import type { EntityText } from '../../../entity/stored/entity.js';
import { compileFilterWith, compileTextTest, type RowTest } from '../../../query/filter/evaluate-filter.js';
import { type Filter, propertiesOf } from '../../../query/filter/filter.js';
import type { QueryPlan } from '../../../query/plan/plan.js';
import type { EventLoopTurn } from '../../event-loop-turn.js';
import type { GrowingPage } from '../../growing-page.js';
import type { StoredRange } from '../engine/key-encoding.js';
import type { CacheBlock } from './cache-block.js';
import { type Column, markOf } from './cache-column.js';
import { columnsMax, type ReadCache } from './read-cache.js';

/**
 * Why a walk through the cache stopped.
 *
 * - `done`: the page is full, or the ranges are at their end
 * - `miss`: the cache does not have the next row
 * - `paused`: the turn is over, and the walk can continue
 */
export type WalkState = 'done' | 'miss' | 'paused';

/** Reads a page from the cache, from its first row up to the first row that the cache does not have. */
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

  /** The ranges that are left to read. */
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
      // Without a filter a row takes no time worth measuring, so the whole block is one stretch.
      const stop = matches ? Math.min(end, row + turn.rows) : end;
      row = page.addRows(block.texts, first, stop, matches);
      if (row < stop) return 'done';
      const isOver = turn.isOver(row - first);
      if (row === end) {
        // Not beyond the range: a write after it would count as a change of rows that are still to be read.
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
  // If one column did not fit, further columns of this read would not fit either.
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
