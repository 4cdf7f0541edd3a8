import type { EntityText } from '../../../entity/stored/entity.js';
import { mergeChanges, type RecordChange } from '../engine/engine.js';
import type { StoredRange } from '../engine/key-encoding.js';
import { type Tail, within } from '../log/tail.js';
import { CacheBlock } from './cache-block.js';

/** The cache, as a fill uses it. */
export interface FillTarget {
  /** Returns whether tables were dropped since the fill began. */
  hasDropped(): boolean;
  /** Returns whether the cache has all rows of a range. */
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
