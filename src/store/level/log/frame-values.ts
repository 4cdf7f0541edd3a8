import { valuePlace } from './commit-frame.js';

/** The size of a block of memory. Unit: bytes. (Our choice.) */
const blockBytes = 1024 * 1024;

/** How many blocks are kept for the next frames. (Our choice: an import needs no more.) */
const spareMax = 4;

/** Memory that frames are copied to. */
interface Block {
  readonly bytes: Buffer;
  /** The reference of its first byte. */
  readonly start: number;
}

/**
 * Values as they are in the frames of their commits, outside of V8's heap: as strings, those of an import would live long enough for the
 * collector of garbage to copy each of them twice. The memory is used again, because V8 collects more often the more of it is allocated.
 */
export class FrameValues {
  #blocks: Block[] = [];
  #spare: Buffer[] = [];
  /** Where the next frame begins in the last block. */
  #used = 0;

  /** Copies a frame. The returned number, plus the position of a change in the frame, is the reference of its value. */
  add(frame: Buffer): number {
    let block = this.#blocks.at(-1);
    if (!block || this.#used + frame.length > block.bytes.length) {
      const bytes =
        frame.length > blockBytes
          ? Buffer.allocUnsafeSlow(frame.length)
          : (this.#spare.pop() ?? Buffer.allocUnsafeSlow(blockBytes));
      block = { bytes, start: block ? block.start + block.bytes.length : 0 };
      this.#blocks.push(block);
      this.#used = 0;
    }
    frame.copy(block.bytes, this.#used);
    const reference = block.start + this.#used;
    this.#used += frame.length;
    return reference;
  }

  textOf(reference: number): string {
    const { bytes, start } = this.#find(reference);
    const { from, to } = valuePlace(bytes, reference - start);
    return bytes.toString('utf8', from, to);
  }

  /** Returns the UTF-8 form of a value, without a copy: it changes after `clear`. */
  bytesOf(reference: number): Uint8Array {
    const { bytes, start } = this.#find(reference);
    const { from, to } = valuePlace(bytes, reference - start);
    return new Uint8Array(bytes.buffer, bytes.byteOffset + from, to - from);
  }

  /** Forgets all values. */
  clear(): void {
    const blocks = this.#blocks.map(({ bytes }) => bytes);
    this.#spare = [...this.#spare, ...blocks.filter(({ length }) => length === blockBytes)].slice(0, spareMax);
    this.#blocks = [];
  }

  #find(reference: number): Block {
    let [low, high] = [0, this.#blocks.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#blocks[middle]?.start ?? 0) <= reference) low = middle;
      else high = middle;
    }
    return this.#blocks[low] as Block;
  }
}
