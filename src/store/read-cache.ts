import type { EntityText } from '../entity/entity.js';
import { compileFilter, type RowTest } from '../query/evaluate-filter.js';
import type { Filter } from '../query/filter.js';
import type { QueryPlan } from '../query/plan.js';
import type { CacheBlock } from './cache-block.js';
import type { RecordChange } from './commit-queue.js';
import { GrowingPage } from './growing-page.js';
import { RangeFill } from './range-fill.js';
import type { Page } from './store.js';

/** A range of stored keys. */
export interface StoredRange {
  readonly gte: string;
  readonly lt: string;
}

/** Blocks grow up to twice this before they are cut, and are joined up to it. Unit: rows. */
const blockRows = 1000;

/** How far the cache is emptied when it is full. Unit: share of the budget. */
const evictedTo = 0.9;

/** Of a table too large for the cache, one read in so many is taken in. */
const admittedOf = 32;

/**
 * Rows of tables that were read, in memory: blocks of neighbours that are known whole, kept current by every commit,
 * bounded in bytes. A read is answered from here only when all it asks for is here; nothing depends on that.
 *
 * It is what makes a filter over a whole table fast: values are decoded once, not with every query.
 */
export class ReadCache {
  readonly #bytesMax: number;
  readonly #tables = new Map<string, CacheBlock[]>();
  readonly #fills = new Set<RangeFill>();
  #bytes = 0;
  #reads = 0;
  #declined = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** What the cache holds. Unit: bytes, by estimate. */
  get bytes(): number {
    return this.#bytes;
  }

  /** One row: null when it is known not to exist, undefined when nothing is known of it. */
  get(prefix: string, key: string): EntityText | null | undefined {
    const block = this.#blockAt(this.#tables.get(prefix), key);
    return block && (block.get(key) ?? null);
  }

  /** A whole page, or undefined when a part of it is not here. All of it is of one moment. */
  readPage(prefix: string, ranges: readonly StoredRange[], plan: QueryPlan): Page | undefined {
    const { filter, matches } = plan;
    // A test of texts alone says nothing of columns.
    if (matches && !filter) return undefined;
    const blocks = this.#tables.get(prefix);
    if (!blocks || (filter && !ranges.every((range) => this.#covers(blocks, range)))) return undefined;
    const page = this.#collect(blocks, ranges, plan);
    // Values may have been decoded for the filter.
    if (this.#bytes > this.#bytesMax) this.#evict();
    return page;
  }

  #collect(
    blocks: readonly CacheBlock[],
    ranges: readonly StoredRange[],
    { rowsMax, filter }: QueryPlan,
  ): Page | undefined {
    const used = ++this.#reads;
    const page = new GrowingPage(rowsMax);
    for (const { gte, lt } of ranges) {
      for (let at = gte; at < lt; ) {
        const block = this.#blockAt(blocks, at);
        if (!block) return undefined;
        block.usedAt = used;
        const test = filter && this.#testOf(block, filter);
        const end = block.to <= lt ? block.rows : block.find(lt);
        for (let row = block.find(at); row < end; row++) {
          if (test && !test(row)) continue;
          const full = page.add(block.textAt(row));
          if (full) return full;
        }
        at = block.to;
      }
    }
    return { rows: page.rows };
  }

  /** Begins to keep what is read of a table; to be called before the read looks at the store. */
  startFill(prefix: string): RangeFill {
    const fill = new RangeFill(prefix, this.#bytesMax / 2, {
      covers: (gte, lt) => this.#covers(this.#tables.get(prefix) ?? [], { gte, lt }),
      install: (block) => this.#install(prefix, block),
    });
    if (this.#isWanted(prefix)) this.#fills.add(fill);
    else fill.stop();
    return fill;
  }

  /**
   * Whether rows of a table are to be taken in. Of one that alone fills the cache only now and then, lest every read
   * push out what the next one wants, and leave behind old garbage besides.
   */
  #isWanted(prefix: string): boolean {
    if (this.#bytesMax === 0) return false;
    if (this.#bytes < this.#bytesMax * evictedTo || this.#bytesOf(prefix) < this.#bytesMax / 2) return true;
    this.#declined++;
    return this.#declined % admittedOf === 0;
  }

  #bytesOf(prefix: string): number {
    let bytes = 0;
    for (const block of this.#tables.get(prefix) ?? []) bytes += block.bytes;
    return bytes;
  }

  /** Ends a fill; what was kept stays. */
  endFill(fill: RangeFill): void {
    this.#fills.delete(fill);
  }

  /** Makes the cache what the store now is. To be called when changes are written, before anyone hears of it. */
  apply(changes: readonly RecordChange[]): void {
    if (this.#tables.size === 0 && this.#fills.size === 0) return;
    for (const { key, value } of changes) {
      const prefix = prefixOf(key);
      for (const fill of this.#fills) if (fill.prefix === prefix) fill.note(key, value);
      const blocks = this.#tables.get(prefix);
      const block = this.#blockAt(blocks, key);
      if (!blocks || !block) continue;
      this.#bytes -= block.bytes;
      block.set(key, value);
      this.#bytes += block.bytes;
      if (block.rows > 2 * blockRows) this.#splice(blocks, blocks.indexOf(block), 1, block.halves());
    }
    if (this.#bytes > this.#bytesMax) this.#evict();
  }

  /** Forgets a table. */
  drop(prefix: string): void {
    for (const block of this.#tables.get(prefix) ?? []) this.#bytes -= block.bytes;
    this.#tables.delete(prefix);
    for (const fill of this.#fills) if (fill.prefix === prefix) fill.stop();
  }

  /** Forgets everything. */
  clear(): void {
    for (const prefix of [...this.#tables.keys()]) this.drop(prefix);
    for (const fill of this.#fills) fill.stop();
  }

  /** The filter as a test of a block's positions. Compiled anew for each, since that binds it to the block's columns. */
  #testOf(block: CacheBlock, filter: Filter): RowTest<number> {
    const before = block.bytes;
    const test = compileFilter<number>(filter, (name) => {
      const column = block.column(name);
      return (at) => column[at];
    });
    this.#bytes += block.bytes - before;
    return test;
  }

  #covers(blocks: readonly CacheBlock[], { gte, lt }: StoredRange): boolean {
    for (let at = gte; at < lt; ) {
      const block = this.#blockAt(blocks, at);
      if (!block) return false;
      at = block.to;
    }
    return true;
  }

  /** The block that a key lies in. */
  #blockAt(blocks: readonly CacheBlock[] | undefined, key: string): CacheBlock | undefined {
    if (!blocks) return undefined;
    const block = blocks[firstBehind(blocks, key) - 1];
    return block && key < block.to ? block : undefined;
  }

  /** Takes in a block in place of what the cache has of the same keys: both are current, this one is whole. */
  #install(prefix: string, block: CacheBlock): void {
    let blocks = this.#tables.get(prefix);
    if (!blocks) {
      blocks = [];
      this.#tables.set(prefix, blocks);
    }
    block.usedAt = ++this.#reads;
    const before = blocks[firstBehind(blocks, block.from) - 1];
    const first = before && before.to > block.from ? blocks.indexOf(before) : firstBehind(blocks, block.from);
    let end = first;
    while ((blocks[end]?.from ?? block.to) < block.to) end++;
    const [head, tail] = [blocks[first], blocks[end - 1]];
    const parts = [block];
    if (head && end > first && head.from < block.from) parts.unshift(head.part(head.from, block.from));
    if (tail && end > first && tail.to > block.to) parts.push(tail.part(block.to, tail.to));
    this.#splice(blocks, first, end - first, parts);
    const at = blocks.indexOf(block);
    this.#joinAt(blocks, at);
    this.#joinAt(blocks, at - 1);
    if (this.#bytes > this.#bytesMax) this.#evict();
  }

  /** Joins a block with the next if they touch and are small. */
  #joinAt(blocks: CacheBlock[], at: number): void {
    const first = blocks[at];
    const next = blocks[at + 1];
    if (!first || !next || first.to !== next.from || first.rows + next.rows > blockRows) return;
    this.#splice(blocks, at, 2, [first.join(next)]);
  }

  /** Puts blocks in the place of others and counts their bytes. */
  #splice(blocks: CacheBlock[], at: number, count: number, parts: readonly CacheBlock[]): void {
    for (const gone of blocks.splice(at, count, ...parts)) this.#bytes -= gone.bytes;
    for (const part of parts) this.#bytes += part.bytes;
  }

  /** Lets the blocks go that were not read for longest, down to nine tenths of the budget. */
  #evict(): void {
    const all = [...this.#tables.values()].flatMap((blocks) => blocks.map((block) => ({ blocks, block })));
    all.sort((a, b) => a.block.usedAt - b.block.usedAt);
    for (const { blocks, block } of all) {
      if (this.#bytes <= this.#bytesMax * evictedTo) return;
      blocks.splice(blocks.indexOf(block), 1);
      this.#bytes -= block.bytes;
    }
  }
}

/** The position of the first block that begins behind a key. */
function firstBehind(blocks: readonly CacheBlock[], key: string): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((blocks[middle]?.from ?? '') <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The table part of an entity's stored key: up to the third separator. */
function prefixOf(key: string): string {
  const second = key.indexOf('\u0000', key.indexOf('\u0000') + 1);
  return key.slice(0, key.indexOf('\u0000', second + 1) + 1);
}
