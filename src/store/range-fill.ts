import type { EntityText } from '../entity/entity.js';
import { CacheBlock } from './cache-block.js';

/** Where a fill's rows go. */
export interface FillTarget {
  /** Whether all rows between two keys are there already, and current. */
  covers(from: string, to: string): boolean;
  install(block: CacheBlock): void;
}

/**
 * A read under way whose rows the cache wants to keep. It sees the store as it was when it began, so what is written
 * meanwhile is noted here and made good in every block.
 */
export class RangeFill {
  readonly prefix: string;
  /** Bytes it may still install: one long scan must not push everything else out. */
  #bytesLeft: number;
  #stopped = false;
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

  /** A row was written, or, with null, removed, since the read began. */
  note(key: string, text: EntityText | null): void {
    this.#written.set(key, text);
  }

  /** Keeps a run of rows: all there were from one key up to, not including, another. */
  keep(from: string, to: string, keys: readonly string[], texts: readonly EntityText[]): void {
    // What is known costs nothing, so that a second scan of a long table takes in what the first had to leave.
    if (!this.isOpen || this.#target.covers(from, to)) return;
    // Copied: what is made good here must not reach the read, which is of one moment.
    const block = new CacheBlock(from, to, [...keys], [...texts]);
    for (const [key, text] of this.#written) if (key >= from && key < to) block.set(key, text);
    this.#bytesLeft -= block.bytes;
    this.#target.install(block);
  }

  /** Ends the fill early: its table is gone. */
  stop(): void {
    this.#stopped = true;
  }
}
