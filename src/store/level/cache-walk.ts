import { propertyReader } from '../../entity/read-property.js';
import { compileFilter, type RowTest } from '../../query/evaluate-filter.js';
import type { Filter } from '../../query/filter.js';
import type { QueryPlan } from '../../query/plan.js';
import { compileTextTest, propertiesOf } from '../../query/text-test.js';
import type { EventLoopTurn } from '../event-loop-turn.js';
import type { GrowingPage } from '../growing-page.js';
import type { CacheBlock, Column } from './cache-block.js';
import { columnsMax, type ReadCache, type StoredRange } from './read-cache.js';

/**
 * How a walk through the cache stopped: the page is full or the ranges are at their end; the cache does not know what
 * comes next; or the turn is over and the walk can go on.
 */
export type WalkState = 'done' | 'unknown' | 'paused';

/** Reads a page from the cache, from the front as far as the cache knows the rows. */
export class CacheWalk {
  /** The number of this read. */
  readonly read: number;
  readonly #cache: ReadCache;
  readonly #prefix: string;
  readonly #ranges: readonly StoredRange[];
  readonly #filter: Filter | undefined;
  /** Compiled when the cache has a first block of the rows. */
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

  /** The key that the walk goes on at. */
  get from(): string {
    return this.#from;
  }

  /** What is left to read. */
  get rest(): readonly StoredRange[] {
    const [first, ...others] = this.#ranges.slice(this.#range);
    return first ? [{ gte: this.#from, lt: first.lt }, ...others] : [];
  }

  /** Adds the rows that match to a page, until the walk has to stop. */
  goOn(page: GrowingPage, turn: EventLoopTurn): WalkState {
    for (let range = this.#ranges[this.#range]; range; range = this.#nextRange()) {
      while (this.#from < range.lt) {
        const block = this.#cache.find(this.#prefix, this.#from);
        if (!block) return 'unknown';
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
      const stop = Math.min(end, row + turn.rows);
      for (; row < stop; row++) {
        if (matches && !matches(row)) continue;
        if (!page.add(block.textAt(row))) {
          page.examined += row + 1 - first;
          return 'done';
        }
      }
      page.examined += row - first;
      const isOver = turn.isOver(row - first);
      if (row === end) {
        // Not past the range: what is written between this range and the next is a change of the rows still to read.
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

/** Returns a test of the positions of a block. */
type BlockTest = (block: CacheBlock) => RowTest<number>;

/** Compiles a filter: on columns if the filter has few properties, otherwise on the texts of the rows. */
function testOf(filter: Filter, cache: ReadCache, read: number): BlockTest {
  const names = [...propertiesOf(filter)];
  if (names.length > columnsMax) {
    const matches = compileTextTest(filter);
    return (block) => (row) => matches(block.textAt(row));
  }
  // Compiled once and pointed at one block after the other: a long filter takes longer to compile than to test a row.
  let present: CacheBlock;
  const slots = new Map(names.map((name) => [name, { name, column: undefined as Column | undefined }]));
  const test = compileFilter<number>(filter, (name) => {
    const slot = slots.get(name);
    const readText = propertyReader(name);
    return (row) => (slot?.column ? slot.column[row] : readText(present.textAt(row)));
  });
  // After one column found no room, the others of this read would not either.
  let hasRoom = true;
  return (block) => {
    present = block;
    for (const slot of slots.values()) {
      slot.column = hasRoom ? cache.column(block, slot.name, read) : block.column(slot.name);
      if (!slot.column) hasRoom = false;
    }
    return test;
  };
}
