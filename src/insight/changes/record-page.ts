import { writeLatin1 } from '../journal/write-latin1.js';

/** Size of a page. Unit: bytes. Ours: about a thousand changes fit. */
const pageBytes = 64 * 1024;

/** The highest UTF-16 code unit that one byte holds as Latin-1. */
const latin1Max = 0xff;

/**
 * A piece of memory outside of the heap, which is filled with records from its beginning to its end. The garbage collector has
 * nothing to move, and what is written next is near to what was written last, so it is in a cache of the processor.
 *
 * All places are in bytes. A number is at a multiple of eight, a short number at an even place.
 */
export class RecordPage {
  readonly numbers: Float64Array;
  readonly shorts: Uint16Array;
  /** Where the next record begins. It is even. */
  end = 0;
  readonly #bytes: Buffer;

  /** Makes an empty page that holds a record of this many bytes, and mostly many more. */
  constructor(recordBytes: number) {
    const memory = new ArrayBuffer(Math.max(pageBytes, Math.ceil(recordBytes / 8) * 8));
    this.numbers = new Float64Array(memory);
    this.shorts = new Uint16Array(memory);
    this.#bytes = Buffer.from(memory);
  }

  /** Returns whether a record of this many bytes fits after those that are there. */
  fits(bytes: number): boolean {
    return this.end + bytes <= this.#bytes.length;
  }

  /** Returns whether the page can be used again as a new one. */
  get isOfUsualSize(): boolean {
    return this.#bytes.length === pageBytes;
  }

  /**
   * Writes two texts, one after the other, at the end. Returns whether they need two bytes for a character instead of one. For
   * short texts, this is faster than `Buffer.write`.
   */
  addTexts(first: string, second: string): boolean {
    const from = this.end;
    const middle = from + first.length;
    if ((writeLatin1(this.#bytes, from, first) | writeLatin1(this.#bytes, middle, second)) <= latin1Max) {
      this.end = (middle + second.length + 1) & ~1;
      return false;
    }
    this.#bytes.write(first, from, 'utf16le');
    this.#bytes.write(second, from + 2 * first.length, 'utf16le');
    this.end = from + 2 * (first.length + second.length);
    return true;
  }

  /** Returns a part of texts that were written at a place. `from` and `to` are in UTF-16 code units. */
  text(at: number, isWide: boolean, from: number, to: number): string {
    return isWide
      ? this.#bytes.toString('utf16le', at + 2 * from, at + 2 * to)
      : this.#bytes.toString('latin1', at + from, at + to);
  }

  /** Returns a UTF-16 code unit of texts that were written at a place. */
  unit(at: number, isWide: boolean, index: number): number {
    return (isWide ? this.#bytes.readUInt16LE(at + 2 * index) : this.#bytes[at + index]) ?? 0;
  }
}
