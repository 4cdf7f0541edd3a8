import type { EntityText } from '../../../entity/stored/entity.js';
import { mergeChanges, type RecordChange } from '../engine/engine.js';
import { prefixOfEntityKey, type StoredRange } from '../engine/key-encoding.js';
import { type Tail, within } from '../log/tail.js';
import { BlockIndex, tableBytes } from './block-index.js';
import { CacheBlock } from './cache-block.js';
import type { Column } from './cache-column.js';

/** Maximum number of columns in a block. Filters with more properties test the texts of the rows. */
export const columnsMax = 8;

/** A new column may evict rows that this number of reads has not used. */
const idleReads = 1000;

/** The share of its maximum size at which the cache counts as full. */
const fullFrom = 0.9;

/** If one table fills the cache, one in this number of its reads may add rows. */
const admittedOf = 32;

/**
 * Caches blocks of contiguous rows in memory.
 *
 * - **Correct.** `defer` gives the cache every commit before any reader can see it. Range reads apply deferred changes first, and lookups
 *   check the tail first. Every read also works without the cache.
 * - **Bounded.** The heap size of every block, row and column is counted. A full cache evicts the least recently used blocks.
 * - **Resistant to scans.** A read never evicts blocks that it has used itself, so a scan of a table larger than the cache keeps the
 *   cached part, instead of replacing it by the end of the table.
 */
export class ReadCache {
  readonly #bytesMax: number;
  readonly #index = new BlockIndex();
  /** Changes to apply, in commit order. */
  #deferred: RecordChange[] = [];
  #reads = 0;
  #declined = 0;
  #drops = 0;

  /** With a maximum size of 0, the cache stays empty. Unit: bytes. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The size of the cache. Unit: bytes of heap, by estimate. */
  get bytes(): number {
    return this.#index.bytes;
  }

  /** Returns one row, without deferred changes: null if it does not exist, undefined if the cache lacks its range. */
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

  /** Returns the column of a property in a block that the read uses; undefined if the cache lacks space. */
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

  /** Starts to cache the rows of a read from the engine under `tail`. Must be called inside the gate, before the read. */
  startFill(prefix: string, read: number, tail: Pick<Tail, 'slice'>): RangeFill {
    const drops = this.#drops;
    return new RangeFill(prefix, this.#admits(prefix) ? this.#bytesMax / 2 : 0, tail, {
      hasDropped: () => drops !== this.#drops,
      covers: (range) => this.#index.covers(prefix, range),
      install: (block) => this.#install(prefix, block, read),
    });
  }

  /**
   * Defers changes until the next range read, because many sorted ones cost little more than one. Until `applyDeferred`, the caller keeps
   * lookups of their rows away from this cache.
   */
  defer(changes: readonly RecordChange[]): void {
    if (!this.#index.isEmpty) for (const change of changes) this.#deferred.push(change);
  }

  applyDeferred(): void {
    if (this.#deferred.length === 0) return;
    const changes = this.#deferred;
    this.#deferred = [];
    // The sort is stable, so the last change of each key wins.
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

  /** Whether a read may add rows of a table. If the table fills the cache, few may: random reads would evict each other's rows. */
  #admits(prefix: string): boolean {
    if (this.#bytesMax === 0) return false;
    if (this.bytes < this.#bytesMax * fullFrom || this.#index.bytesOf(prefix) < this.#bytesMax / 2) return true;
    this.#declined++;
    return this.#declined % admittedOf === 0;
  }

  #install(prefix: string, block: CacheBlock, read: number): boolean {
    const bytes = block.bytes + tableBytes;
    if (!this.#evict(bytes, read)) return false;
    block.usedAt = read;
    this.#index.put(prefix, block);
    this.#evict();
    return true;
  }

  /** Evicts blocks that the read `before` or later ones have not used, until `bytes` more fit. Returns whether they do. */
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
  /** Whether tables were dropped since the fill began. */
  hasDropped(): boolean;
  covers(range: StoredRange): boolean;
  /** Adds a block. Returns false if it does not fit. */
  install(block: CacheBlock): boolean;
}

/**
 * Adds the rows of a read to the cache. They are as of the start of the read. The read is inside the gate, so the tail still has all later
 * changes, which each block gets.
 */
export class RangeFill {
  readonly prefix: string;
  /** The remaining size of blocks to add, so that one long scan does not evict everything else. Unit: bytes. */
  #bytesLeft: number;
  readonly #target: FillTarget;
  readonly #tail: Pick<Tail, 'slice'>;
  /** The tail's changes of the table at the start of the read. */
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

  /** Caches contiguous rows: all rows in `from` up to, not including, `to`. */
  keep(from: string, to: string, keys: readonly string[], texts: readonly EntityText[]): void {
    // Cached rows do not count, so a second scan of a long table caches further rows.
    if (!this.isOpen || this.#target.covers({ gte: from, lt: to })) return;
    const written = this.hasChanged ? within(this.#tail.slice(this.prefix), { gte: from, lt: to }) : [];
    // Copied, because the read must not see later changes.
    const block = new CacheBlock(from, to, ...mergeChanges(keys, texts, written));
    this.#bytesLeft -= block.bytes;
    if (!this.#target.install(block)) this.#bytesLeft = 0;
  }
}
