import type { EntityText } from '../../entity/entity.js';
import type { CacheBlock, Column } from './cache-block.js';
import type { RecordChange } from './engine.js';
import { prefixOfEntityKey } from './key-encoding.js';
import { RangeFill } from './range-fill.js';

/** A range of stored keys. */
export interface StoredRange {
  readonly gte: string;
  readonly lt: string;
}

/** Blocks are joined up to this, and cut in half when they grow to twice as much. */
const blockRowsMax = 1000;

/** The same in bytes, so that a block of large rows is read in one turn of the event loop. */
const blockBytesMax = 1024 * 1024;

/** Most properties that are kept as columns; a filter over more is tested on the texts of the rows. */
export const columnsMax = 8;

/** A column may push out rows that were not used in this many reads. */
const idleReads = 1000;

/** From here on the cache counts as full. Unit: share of the budget. */
const fullFrom = 0.9;

/** When the cache is full with a single table, one read of it in so many may bring in rows. */
const admittedOf = 32;

/** What a table costs beside its blocks. Unit: bytes. Source: docs/benchmarks.md. */
const tableBytes = 300;

/** The blocks of one table, in key order. They never overlap, but there may be gaps between them. */
interface CachedTable {
  readonly prefix: string;
  readonly blocks: CacheBlock[];
  bytes: number;
}

/**
 * Keeps rows that were read in memory, in blocks of neighboring rows without a gap.
 *
 * - **Right.** `apply` tells the cache of every commit before anyone hears of it, so what it holds is always current. It
 *   is never needed: what it does not hold is read from the store.
 * - **Bounded.** Every block, row and column is counted at what it costs on the heap. All blocks stand in one Map, the
 *   least recently used first. When the budget is full, columns go first, then blocks, from the front of the Map.
 * - **Stable.** A read never pushes out what it has itself used. So a table that is larger than the budget keeps the
 *   part that is here, instead of losing it to its own end with each scan.
 */
export class ReadCache {
  readonly #bytesMax: number;
  readonly #tables = new Map<string, CachedTable>();
  /** All blocks and whose they are, least recently used first. */
  readonly #blocks = new Map<CacheBlock, CachedTable>();
  /** The blocks that have columns, least recently used first. */
  readonly #decoded = new Set<CacheBlock>();
  readonly #fills = new Set<RangeFill>();
  #bytes = 0;
  /** The part of the bytes that columns take. */
  #columnBytes = 0;
  #reads = 0;
  #declined = 0;

  /** Makes an empty cache with a budget of `bytesMax`; with 0 it stays empty. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** What the cache holds. Unit: bytes of heap, by estimate. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns one row: null when it is known not to exist, undefined when nothing is known of it. */
  get(prefix: string, key: string): EntityText | null | undefined {
    const block = this.find(prefix, key);
    return block && (block.get(key) ?? null);
  }

  /** Returns the block that a key lies in. */
  find(prefix: string, key: string): CacheBlock | undefined {
    const blocks = this.#tables.get(prefix)?.blocks;
    const block = blocks?.[firstAfter(blocks, key) - 1];
    return block && key < block.to ? block : undefined;
  }

  /** Begins a read. Returns its number, which `use`, `column` and `startFill` ask for. */
  startRead(): number {
    return ++this.#reads;
  }

  /** Notes that a read uses a block. */
  use(block: CacheBlock, read: number): void {
    const table = this.#blocks.get(block);
    if (!table || block.usedAt === read) return;
    block.usedAt = read;
    moveToEnd(this.#blocks, block, table);
    if (this.#decoded.delete(block)) this.#decoded.add(block);
  }

  /** Returns the values of a property in a block that the read uses; undefined when there is no room for them. */
  column(block: CacheBlock, name: string, read: number): Column | undefined {
    const present = block.column(name);
    if (present || !this.#blocks.has(block)) return present;
    let column: Column | undefined;
    this.#recount(block, () => {
      column = block.addColumn(name, columnsMax);
    });
    if (this.#makeRoom(0, { columns: read, rows: read - idleReads })) return column;
    this.#recount(block, () => block.dropColumn(name));
    return undefined;
  }

  /** Begins to keep what a read gets from the store. To be called before the read looks at the store. */
  startFill(prefix: string, read: number): RangeFill {
    const fill = new RangeFill(prefix, this.#isWanted(prefix) ? this.#bytesMax / 2 : 0, {
      covers: (range) => this.#covers(prefix, range),
      install: (block) => this.#install(prefix, block, read),
    });
    if (this.#bytesMax > 0) this.#fills.add(fill);
    return fill;
  }

  /** Ends a fill; what was kept stays. */
  endFill(fill: RangeFill): void {
    this.#fills.delete(fill);
  }

  /** Makes the cache what the store now is. To be called when changes are written, before anyone hears of it. */
  apply(changes: readonly RecordChange[]): void {
    if (this.#tables.size === 0 && this.#fills.size === 0) return;
    for (const { key, value } of changes) {
      const prefix = prefixOfEntityKey(key);
      for (const fill of this.#fills) if (fill.prefix === prefix) fill.note(key, value);
      const block = this.find(prefix, key);
      const table = block && this.#blocks.get(block);
      if (!table) continue;
      this.#recount(block, () => block.set(key, value));
      const isLarge = block.rows > 2 * blockRowsMax || block.rowBytes > 2 * blockBytesMax;
      if (isLarge && block.rows > 1) this.#replace(table, firstAfter(table.blocks, block.from) - 1, 1, block.halves());
    }
    this.#makeRoom();
  }

  /** Forgets a table. */
  drop(prefix: string): void {
    const table = this.#tables.get(prefix);
    if (table) this.#replace(table, 0, table.blocks.length, []);
    for (const fill of this.#fills) if (fill.prefix === prefix) fill.stop();
  }

  /** Forgets everything. */
  clear(): void {
    for (const prefix of [...this.#tables.keys()]) this.drop(prefix);
    for (const fill of this.#fills) fill.stop();
  }

  /**
   * Whether rows of a table are to be taken in. When a table alone fills the cache, only now and then: each read of a
   * random place would push out what another wants, and leave old garbage besides.
   */
  #isWanted(prefix: string): boolean {
    if (this.#bytesMax === 0) return false;
    const own = this.#tables.get(prefix)?.bytes ?? 0;
    if (this.#bytes < this.#bytesMax * fullFrom || own < this.#bytesMax / 2) return true;
    this.#declined++;
    return this.#declined % admittedOf === 0;
  }

  #covers(prefix: string, { gte, lt }: StoredRange): boolean {
    for (let at = gte; at < lt; ) {
      const block = this.find(prefix, at);
      if (!block) return false;
      at = block.to;
    }
    return true;
  }

  /**
   * Takes in a block in place of what the cache has of the same keys: both are current, this one is whole.
   * Returns false when there is no room for it.
   */
  #install(prefix: string, block: CacheBlock, read: number): boolean {
    const bytes = block.bytes + tableBytes;
    const [[oldest] = []] = this.#blocks;
    // Of rows that are all used by this read none can go. Its columns stay, unless they alone make the room.
    const isFull = this.#bytes - this.#columnBytes + bytes > this.#bytesMax && (oldest?.usedAt ?? read) >= read;
    if (isFull || !this.#makeRoom(bytes, { rows: read })) return false;
    let table = this.#tables.get(prefix);
    if (!table) {
      table = { prefix, blocks: [], bytes: tableBytes };
      this.#tables.set(prefix, table);
      this.#bytes += tableBytes;
    }
    const { blocks } = table;
    block.usedAt = read;
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
    this.#makeRoom();
    return true;
  }

  /** Joins a block with the next if they touch and are small. */
  #joinAt(table: CachedTable, at: number): void {
    const first = table.blocks[at];
    const next = table.blocks[at + 1];
    if (!first || !next || first.to !== next.from) return;
    if (first.rows + next.rows > blockRowsMax || first.rowBytes + next.rowBytes > blockBytesMax) return;
    this.#replace(table, at, 2, [first.join(next)]);
  }

  /**
   * Gets the cache within its budget, with `bytes` more to come: lets columns go, then blocks, as long as they were last
   * used before the reads that `before` names. Returns whether there is room.
   */
  #makeRoom(bytes = 0, { columns = Infinity, rows = Infinity } = {}): boolean {
    const bytesMax = this.#bytesMax - bytes;
    for (const block of this.#decoded) {
      if (this.#bytes <= bytesMax || block.usedAt >= columns) break;
      this.#recount(block, () => block.dropColumns());
    }
    for (const [block, table] of this.#blocks) {
      if (this.#bytes <= bytesMax || block.usedAt >= rows) break;
      this.#replace(table, firstAfter(table.blocks, block.from) - 1, 1, []);
    }
    return this.#bytes <= bytesMax;
  }

  /** Changes a block and counts what that adds or frees. */
  #recount(block: CacheBlock, change: () => void): void {
    const table = this.#blocks.get(block);
    if (table) this.#count(table, block, -1);
    change();
    if (table) this.#count(table, block, 1);
    if (block.columnBytes === 0) this.#decoded.delete(block);
    else if (!this.#decoded.has(block)) this.#decoded.add(block);
  }

  /** Counts a block in, or, with -1, out. */
  #count(table: CachedTable, { bytes, columnBytes }: CacheBlock, sign: 1 | -1): void {
    table.bytes += sign * bytes;
    this.#bytes += sign * bytes;
    this.#columnBytes += sign * columnBytes;
  }

  /** Puts blocks in the place of others. A table without blocks goes. */
  #replace(table: CachedTable, at: number, count: number, parts: readonly CacheBlock[]): void {
    for (const gone of table.blocks.splice(at, count, ...parts)) {
      this.#count(table, gone, -1);
      this.#blocks.delete(gone);
      this.#decoded.delete(gone);
    }
    for (const part of parts) {
      this.#count(table, part, 1);
      this.#blocks.set(part, table);
    }
    if (table.blocks.length > 0) return;
    this.#tables.delete(table.prefix);
    this.#bytes -= table.bytes;
  }
}

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
}

/** Returns the position of the first block that begins after a key. */
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
