import type { EntityText } from '../../entity/entity.js';
import { CacheBlock } from './cache-block.js';
import type { StoredRange } from './read-cache.js';

/** Where a fill's rows go. */
export interface FillTarget {
  /** Returns whether all rows of a range are there already, and current. */
  covers(range: StoredRange): boolean;
  /** Takes a block in. Returns false when there is no room. */
  install(block: CacheBlock): boolean;
}

/** Most bytes of changes that are noted for one read; after that its rows are not kept. */
const notedBytesMax = 16 * 1024 * 1024;

/**
 * A read under way whose rows the cache wants to keep. The read sees the store as it was when it began. So the fill notes
 * what is written in the meantime, and puts it into every block.
 */
export class RangeFill {
  readonly prefix: string;
  /** Bytes it may still install: one long scan must not push everything else out. */
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

  /** Whether rows are still wanted. */
  get isOpen(): boolean {
    return !this.#stopped && this.#bytesLeft > 0;
  }

  /** Returns whether a row at or after a key may have changed since the read began. */
  hasChanged(from: string): boolean {
    return this.#stopped || this.#lastNoted >= from;
  }

  /** Notes that a row was written, or, with null, removed. */
  note(key: string, text: EntityText | null): void {
    if (key > this.#lastNoted) this.#lastNoted = key;
    if (!this.isOpen) return;
    this.#written.set(key, text);
    this.#notedBytes += key.length + (text?.length ?? 0);
    if (this.#notedBytes > notedBytesMax) this.#forget();
  }

  /** Keeps a run of rows: all there were from one key up to, not including, another. */
  keep(from: string, to: string, keys: readonly string[], texts: readonly EntityText[]): void {
    // What is known costs nothing, so that a second scan of a long table takes in what the first had to leave.
    if (!this.isOpen || this.#target.covers({ gte: from, lt: to })) return;
    // Copied: the changes that are put in here must not reach the read, which is of one moment.
    const block = new CacheBlock(from, to, [...keys], [...texts]);
    for (const [key, text] of this.#written) if (key >= from && key < to) block.set(key, text);
    this.#bytesLeft -= block.bytes;
    if (!this.#target.install(block)) this.#forget();
  }

  /** Ends the fill early: its table is gone. */
  stop(): void {
    this.#stopped = true;
    this.#forget();
  }

  #forget(): void {
    this.#bytesLeft = 0;
    this.#written.clear();
  }
}
