import type { StoredRange } from '../engine/key-encoding.js';
import type { CacheBlock } from './cache-block.js';

/**
 * Blocks are joined up to this number of rows, and halved when they grow to twice as many: a write moves the rows of its block, and a
 * read pays for each block. Source: docs/benchmarks.md.
 */
const blockRowsMax = 250;

/** A block that shrinks below this number of rows is joined with a neighbor. */
const blockRowsMin = blockRowsMax / 4;

/** The same limit for the size of a block, so that one turn of the event loop can read it. Unit: bytes. */
const blockBytesMax = 1024 * 1024;

/** The size of a table besides its blocks. Unit: bytes. Source: docs/benchmarks.md. */
export const tableBytes = 300;

/** The blocks of one table, in key order, without overlaps. Gaps are possible. */
interface CachedTable {
  readonly prefix: string;
  readonly blocks: CacheBlock[];
  bytes: number;
}

/** Finds and changes the blocks of all tables, and counts their size on the heap. The caller evicts. */
export class BlockIndex {
  readonly #tables = new Map<string, CachedTable>();
  /** All blocks with their tables, least recently used first. */
  readonly #blocks = new Map<CacheBlock, CachedTable>();
  #bytes = 0;

  /** The size of all blocks. Unit: bytes of heap, by estimate. */
  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#tables.size === 0;
  }

  /** Returns all blocks, least recently used first. The caller may remove the current one during the iteration. */
  blocks(): Iterable<CacheBlock> {
    return this.#blocks.keys();
  }

  /** Returns the size of the blocks of a table. Unit: bytes of heap, by estimate. */
  bytesOf(prefix: string): number {
    return this.#tables.get(prefix)?.bytes ?? 0;
  }

  has(block: CacheBlock): boolean {
    return this.#blocks.has(block);
  }

  find(prefix: string, key: string): CacheBlock | undefined {
    const blocks = this.#tables.get(prefix)?.blocks;
    const block = blocks?.[firstAfter(blocks, key) - 1];
    return block?.covers(key) ? block : undefined;
  }

  /** Whether blocks contain a range without gaps. */
  covers(prefix: string, { gte, lt }: StoredRange): boolean {
    for (let at = gte; at < lt; ) {
      const block = this.find(prefix, at);
      if (!block) return false;
      at = block.to;
    }
    return true;
  }

  /** Makes a block the most recently used one. */
  use(block: CacheBlock, read: number): void {
    const table = this.#blocks.get(block);
    if (!table || block.usedAt === read) return;
    block.usedAt = read;
    this.#blocks.delete(block);
    this.#blocks.set(block, table);
  }

  /** Runs a function that changes the size of a block, and counts the difference. */
  resize(block: CacheBlock, change: () => void): void {
    const table = this.#blocks.get(block);
    if (table) this.#count(table, block, -1);
    change();
    if (table) this.#count(table, block, 1);
  }

  /** Halves a block that has grown too large. Returns whether it did and thereby removed the block from the index. */
  halveIfLarge(block: CacheBlock): boolean {
    const isLarge = block.rows > 2 * blockRowsMax || block.rowBytes > 2 * blockBytesMax;
    const table = isLarge && block.rows > 1 ? this.#blocks.get(block) : undefined;
    if (!table) return false;
    this.#replace(table, this.#indexOf(table, block), 1, block.halves());
    return true;
  }

  /**
   * Joins a small block with a neighbor, if there is no gap between them. Returns whether it did and thereby removed the block from the
   * index. Without this, repeated inserts and deletes would leave ever more empty blocks.
   */
  joinIfSmall(block: CacheBlock): boolean {
    const table = block.rows < blockRowsMin ? this.#blocks.get(block) : undefined;
    if (!table) return false;
    const at = this.#indexOf(table, block);
    return this.#joinAt(table, at - 1, 2) || this.#joinAt(table, at, 2);
  }

  /** Adds a block. It replaces its range in other blocks, and is joined with small neighbors. */
  put(prefix: string, block: CacheBlock): void {
    let table = this.#tables.get(prefix);
    if (!table) {
      table = { prefix, blocks: [], bytes: tableBytes };
      this.#tables.set(prefix, table);
      this.#bytes += tableBytes;
    }
    const { blocks } = table;
    const after = firstAfter(blocks, block.from);
    const first = (blocks[after - 1]?.to ?? '') > block.from ? after - 1 : after;
    let end = first;
    while ((blocks[end]?.from ?? block.to) < block.to) end++;
    const [head, tail] = [blocks[first], blocks[end - 1]];
    const parts = [block];
    if (head && end > first && head.from < block.from) parts.unshift(head.part(head.from, block.from));
    if (tail && end > first && tail.to > block.to) parts.push(tail.part(block.to, tail.to));
    this.#replace(table, first, end - first, parts);
    const at = first + parts.indexOf(block);
    this.#joinAt(table, at);
    this.#joinAt(table, at - 1);
  }

  remove(block: CacheBlock): void {
    const table = this.#blocks.get(block);
    if (table) this.#replace(table, this.#indexOf(table, block), 1, []);
  }

  removeTable(prefix: string): void {
    const table = this.#tables.get(prefix);
    if (table) this.#replace(table, 0, table.blocks.length, []);
  }

  #indexOf(table: CachedTable, block: CacheBlock): number {
    return firstAfter(table.blocks, block.from) - 1;
  }

  /** Joins a block with the next one if there is no gap and the result fits in `times` a usual block. Returns whether it did. */
  #joinAt(table: CachedTable, at: number, times = 1): boolean {
    const first = table.blocks[at];
    const next = table.blocks[at + 1];
    if (!first || !next || first.to !== next.from) return false;
    if (first.rows + next.rows > times * blockRowsMax) return false;
    if (first.rowBytes + next.rowBytes > times * blockBytesMax) return false;
    this.#replace(table, at, 2, [first.join(next)]);
    return true;
  }

  /** Replaces blocks by others. Removes a table without blocks. */
  #replace(table: CachedTable, at: number, count: number, parts: readonly CacheBlock[]): void {
    for (const removed of table.blocks.splice(at, count, ...parts)) {
      this.#count(table, removed, -1);
      this.#blocks.delete(removed);
    }
    for (const part of parts) {
      this.#count(table, part, 1);
      this.#blocks.set(part, table);
    }
    if (table.blocks.length > 0) return;
    this.#tables.delete(table.prefix);
    this.#bytes -= table.bytes;
  }

  #count(table: CachedTable, { bytes }: CacheBlock, sign: 1 | -1): void {
    table.bytes += sign * bytes;
    this.#bytes += sign * bytes;
  }
}

function firstAfter(blocks: readonly CacheBlock[], key: string): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((blocks[middle]?.from ?? '') <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
