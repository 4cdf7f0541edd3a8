import type { EntityText } from '../../../entity/stored/entity.js';
import { mergeChanges, type RecordChange } from '../engine/engine.js';
import { prefixOfEntityKey, type StoredRange } from '../engine/key-encoding.js';
import { type Tail, within } from '../log/tail.js';
import { BlockIndex, tableBytes } from './block-index.js';
import { CacheBlock } from './cache-block.js';
import type { Column } from './cache-column.js';

/** Maximum number of columns in a block. A filter with more properties is tested on the texts of the rows. */
export const columnsMax = 8;

/** A new column may evict rows that were not used in this number of reads. */
const idleReads = 1000;

/** The cache counts as full from this share of its maximum size on. */
const fullFrom = 0.9;

/** When one table fills the cache, one in this number of its reads may add rows. */
const admittedOf = 32;

/**
 * Keeps rows that were read in memory, in blocks of contiguous rows.
 *
 * - **Correct.** `defer` gives the cache every commit before any reader can see it. Its rows are always current for ranges, and a
 *   reader of one row looks into the tail first. Every read can also be done without the cache.
 * - **Bounded.** The size of every block, row and column on the heap is counted. When the cache is full, blocks are evicted,
 *   least recently used first.
 * - **Resistant to scans.** A read never evicts blocks that it has used itself. So a scan of a table that is larger than
 *   the cache keeps the cached part, instead of replacing it by the end of the table.
 */
export class ReadCache {
  readonly #bytesMax: number;
  readonly #index = new BlockIndex();
  /** Changes that are still to be applied, in the order of their commits. */
  #deferred: RecordChange[] = [];
  #reads = 0;
  #declined = 0;
  #drops = 0;

  /** Creates an empty cache. With a maximum size of 0 it stays empty. Unit: bytes. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The size of the cache. Unit: bytes of heap, by estimate. */
  get bytes(): number {
    return this.#index.bytes;
  }

  /**
   * Returns one row: null if the cache knows that it does not exist, undefined if the cache does not have its range. Changes that are
   * deferred are not looked at.
   */
  get(prefix: string, key: string): EntityText | null | undefined {
    const block = this.find(prefix, key);
    return block && (block.get(key) ?? null);
  }

  find(prefix: string, key: string): CacheBlock | undefined {
    return this.#index.find(prefix, key);
  }

  /** Begins a read. Returns its number, for `use`, `column` and `startFill`. */
  startRead(): number {
    this.applyDeferred();
    return ++this.#reads;
  }

  use(block: CacheBlock, read: number): void {
    this.#index.use(block, read);
  }

  /** Returns the values of a property in a block that the read uses; undefined if the cache has no space for them. */
  column(block: CacheBlock, name: string, read: number): Column | undefined {
    const present = block.column(name);
    if (present || !this.#index.has(block)) return present;
    let column: Column | undefined;
    this.#index.resize(block, () => {
      column = block.addColumn(name, columnsMax);
    });
    if (this.#evict(0, read - idleReads)) return column;
    this.#index.resize(block, () => block.dropColumn(name));
    return undefined;
  }

  /** Begins to cache the rows that a read gets from the engine under `tail`. Must be called inside the gate, before the read begins. */
  startFill(prefix: string, read: number, tail: Pick<Tail, 'slice'>): RangeFill {
    const drops = this.#drops;
    return new RangeFill(prefix, this.#admits(prefix) ? this.#bytesMax / 2 : 0, tail, {
      hasDropped: () => drops !== this.#drops,
      covers: (range) => this.#index.covers(prefix, range),
      install: (block) => this.#install(prefix, block, read),
    });
  }

  /**
   * Applies changes before the next read of a range. Together and sorted, many cost little more than one. Until `applyDeferred`, the caller
   * keeps readers of their rows from asking this cache.
   */
  defer(changes: readonly RecordChange[]): void {
    if (!this.#index.isEmpty) for (const change of changes) this.#deferred.push(change);
  }

  applyDeferred(): void {
    if (this.#deferred.length === 0) return;
    const changes = this.#deferred;
    this.#deferred = [];
    // The order of the changes of a key stays. Only the last one counts.
    changes.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
    this.#apply(changes.filter(({ key }, at) => key !== changes[at + 1]?.key));
  }

  #apply(changes: readonly RecordChange[]): void {
    let prefix = '';
    for (let at = 0, end = 0; at < changes.length; at = end) {
      const key = changes[at]?.key ?? '';
      end = at + 1;
      if (prefix === '' || !key.startsWith(prefix)) prefix = prefixOfEntityKey(key);
      const block = this.find(prefix, key);
      if (!block) continue;
      while (end < changes.length && block.covers(changes[end]?.key ?? '')) end++;
      const { rows } = block;
      this.#index.resize(block, () => block.apply(changes.slice(at, end)));
      if (block.rows < rows) this.#index.joinIfSmall(block);
      else this.#index.halveIfLarge(block);
    }
    this.#evict();
  }

  drop(prefix: string): void {
    this.applyDeferred();
    this.#index.removeTable(prefix);
    this.#drops++;
  }

  /**
   * Returns whether a read may add rows of a table. If the table alone fills the cache, only few reads may. Otherwise reads
   * at random places would evict each other's rows, and produce garbage.
   */
  #admits(prefix: string): boolean {
    if (this.#bytesMax === 0) return false;
    if (this.bytes < this.#bytesMax * fullFrom || this.#index.bytesOf(prefix) < this.#bytesMax / 2) return true;
    this.#declined++;
    return this.#declined % admittedOf === 0;
  }

  /** Adds a block. Returns false if there is no space for it. */
  #install(prefix: string, block: CacheBlock, read: number): boolean {
    const bytes = block.bytes + tableBytes;
    if (!this.#evict(bytes, read)) return false;
    block.usedAt = read;
    this.#index.put(prefix, block);
    this.#evict();
    return true;
  }

  /**
   * Evicts blocks until `bytes` more would fit, but none that was used in the read `before` or later. Returns whether there is
   * enough space.
   */
  #evict(bytes = 0, before = Infinity): boolean {
    const bytesMax = this.#bytesMax - bytes;
    for (const block of this.#index.blocks()) {
      if (this.bytes <= bytesMax || block.usedAt >= before) break;
      this.#index.remove(block);
    }
    return this.bytes <= bytesMax;
  }
}

/** The cache, as a fill uses it. */
interface FillTarget {
  /** Returns whether tables were dropped since the fill began. */
  hasDropped(): boolean;
  covers(range: StoredRange): boolean;
  /** Adds a block. Returns false if there is no space for it. */
  install(block: CacheBlock): boolean;
}

/**
 * Adds the rows of a read to the cache. The read sees the store as it was when the read began. It is inside the gate, so the tail still
 * has everything that was written since, and each block gets that.
 */
export class RangeFill {
  readonly prefix: string;
  /** Size of the blocks that it may still add, because one long scan must not evict everything else. Unit: bytes. */
  #bytesLeft: number;
  readonly #target: FillTarget;
  readonly #tail: Pick<Tail, 'slice'>;
  /** The tail's changes of the table when the read began. */
  readonly #begun: readonly RecordChange[];

  constructor(prefix: string, bytesMax: number, tail: Pick<Tail, 'slice'>, target: FillTarget) {
    this.prefix = prefix;
    this.#bytesLeft = bytesMax;
    this.#tail = tail;
    this.#begun = tail.slice(prefix);
    this.#target = target;
  }

  /** Whether the fill still accepts rows. */
  get isOpen(): boolean {
    return this.#bytesLeft > 0 && !this.#target.hasDropped();
  }

  /** Whether the table may have changed since the read began. */
  get hasChanged(): boolean {
    return this.#tail.slice(this.prefix) !== this.#begun || this.#target.hasDropped();
  }

  /** Caches contiguous rows: all rows from one key up to, not including, another. */
  keep(from: string, to: string, keys: readonly string[], texts: readonly EntityText[]): void {
    // Rows that are cached already do not count, so a second scan of a long table caches what the first could not.
    if (!this.isOpen || this.#target.covers({ gte: from, lt: to })) return;
    const written = this.hasChanged ? within(this.#tail.slice(this.prefix), { gte: from, lt: to }) : [];
    // Copied, because the read must not see the changes that are applied here.
    const block = new CacheBlock(from, to, ...mergeChanges(keys, texts, written));
    this.#bytesLeft -= block.bytes;
    if (!this.#target.install(block)) this.#bytesLeft = 0;
  }
}
