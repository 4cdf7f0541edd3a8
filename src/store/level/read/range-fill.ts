import type { EntityText } from '../../../entity/stored/entity.js';
import type { StoredRange } from '../engine/key-encoding.js';
import { CacheBlock } from './cache-block.js';

/** The cache, as a fill uses it. */
export interface FillTarget {
  /** Returns whether the cache has all rows of a range. */
  covers(range: StoredRange): boolean;
  /** Adds a block. Returns false if there is no space for it. */
  install(block: CacheBlock): boolean;
}

/** Maximum size of the changes that are recorded during one read. Beyond it, the rows of the read are not cached. Unit: bytes. */
const notedBytesMax = 16 * 1024 * 1024;

/**
 * Adds the rows of a read to the cache. The read sees the store as it was when the read began. So the fill records what is
 * written meanwhile, and applies it to every block.
 */
export class RangeFill {
  readonly prefix: string;
  /** Size of the blocks that it may still add, because one long scan must not evict everything else. Unit: bytes. */
  #bytesLeft: number;
  #stopped = false;
  #notedBytes = 0;
  #lastNoted = '';
  readonly #target: FillTarget;
  readonly #written = new Map<string, EntityText | null>();

  constructor(prefix: string, bytesMax: number, target: FillTarget) {
    this.prefix = prefix;
    this.#bytesLeft = bytesMax;
    this.#target = target;
  }

  /** Whether the fill still accepts rows. */
  get isOpen(): boolean {
    return !this.#stopped && this.#bytesLeft > 0;
  }

  /** Returns whether a row at or after a key may have changed since the read began. */
  hasChanged(from: string): boolean {
    return this.#stopped || this.#lastNoted >= from;
  }

  /** Records that a row was written, or deleted if `text` is null. */
  note(key: string, text: EntityText | null): void {
    if (key > this.#lastNoted) this.#lastNoted = key;
    if (!this.isOpen) return;
    this.#written.set(key, text);
    this.#notedBytes += key.length + (text?.length ?? 0);
    if (this.#notedBytes > notedBytesMax) this.#forget();
  }

  /** Caches contiguous rows: all rows from one key up to, not including, another. */
  keep(from: string, to: string, keys: readonly string[], texts: readonly EntityText[]): void {
    // Rows that are cached already do not count, so a second scan of a long table caches what the first could not.
    if (!this.isOpen || this.#target.covers({ gte: from, lt: to })) return;
    // Copied, because the read must not see the changes that are applied here.
    const block = new CacheBlock(from, to, [...keys], [...texts]);
    for (const [key, text] of this.#written) if (key >= from && key < to) block.set(key, text);
    this.#bytesLeft -= block.bytes;
    if (!this.#target.install(block)) this.#forget();
  }

  /** Ends the fill early, because its table was dropped. */
  stop(): void {
    this.#stopped = true;
    this.#forget();
  }

  #forget(): void {
    this.#bytesLeft = 0;
    this.#written.clear();
  }
}
