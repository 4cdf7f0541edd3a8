import type { RecordChange } from '../engine/engine.js';
import { changeAt, keyAt } from './commit-frame.js';

/** The size of a block of memory. Unit: bytes. (Our choice.) */
const blockBytes = 1024 * 1024;

/** How many blocks are kept for the next frames. (Our choice: an import rarely needs more at a time.) */
const spareMax = 8;

/** Memory that frames are copied to. It is used again, because V8 collects more often the more of it is allocated. */
export class FrameMemory {
  #blocks: Buffer[] = [];
  readonly #spare: Buffer[];
  /** How much of the last block is used. Unit: bytes. */
  #used = 0;

  /** `spare` has blocks to use, and gets those that are free again. */
  constructor(spare: Buffer[]) {
    this.#spare = spare;
  }

  /** Returns a copy of bytes, which lasts until `clear`. */
  copy(bytes: Buffer): Buffer {
    let block = this.#blocks.at(-1);
    if (!block || this.#used + bytes.length > block.length) {
      const spare = bytes.length > blockBytes ? undefined : this.#spare.pop();
      block = spare ?? Buffer.allocUnsafeSlow(Math.max(bytes.length, blockBytes));
      this.#blocks.push(block);
      this.#used = 0;
    }
    const from = this.#used;
    this.#used += bytes.copy(block, from);
    return block.subarray(from, this.#used);
  }

  /** Frees all blocks. Those to use go, too, if there were no frames: the import is over. */
  clear(): void {
    if (this.#blocks.length === 0) this.#spare.length = 0;
    for (const block of this.#blocks.splice(0)) {
      if (block.length === blockBytes && this.#spare.length < spareMax) this.#spare.push(block);
    }
  }
}

/**
 * Changes in ascending order of their keys, as a frame has them, outside of V8's heap: as strings, those of an import would live long enough for
 * the collector of garbage to copy each of them twice.
 */
export class FrameRun {
  readonly bytes: Buffer;
  /** Where each change begins. Unit: bytes. */
  readonly places: Uint32Array;
  readonly first: string;
  readonly last: string;

  constructor(bytes: Buffer, places: Uint32Array) {
    this.bytes = bytes;
    this.places = places;
    this.first = keyAt(bytes, places[0] ?? 0);
    this.last = keyAt(bytes, places.at(-1) ?? 0);
  }

  /** Returns the value of a key, null if it is deleted; undefined if the run has no change of it. */
  get(key: string): string | null | undefined {
    let [low, high] = [0, this.places.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = this.places[middle] ?? 0;
      const found = keyAt(this.bytes, at);
      if (found === key) return changeAt(this.bytes, at).value;
      if (found < key) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  /** Returns all changes. */
  changes(): readonly RecordChange[] {
    return Array.from(this.places, (at) => changeAt(this.bytes, at));
  }
}
