import { ownText } from '../../remembered.js';

/** Size of a slot. Unit: bytes. (Our choice: most requests fit.) */
const slotBytes = 256;

/** A slot begins with this many numbers, and this many short ones after them: 64 bytes in all. */
const numbersOfSlot = 7;
const shortsOfSlot = 4;
const headBytes = numbersOfSlot * Float64Array.BYTES_PER_ELEMENT + shortsOfSlot * Uint16Array.BYTES_PER_ELEMENT;

/** Size of a cache line. Unit: bytes. */
const lineBytes = 64;

/** Longest text in a slot. Unit: UTF-16 code units. */
export const slotTextMax = slotBytes - headBytes;

/** The highest code unit of Latin-1. */
const latin1Max = 0xff;

/**
 * Off-heap memory for records of one size: seven numbers, three numbers below 65,536, and a text. A text that is long or not
 * Latin-1 stays on the heap.
 *
 * A ring returns to a slot after thousands of requests, when it is no longer in any CPU cache. So each slot is contiguous. The
 * garbage collector has nothing to move: a ring of objects took 8 % more CPU time per point read.
 */
export class SlotMemory {
  /** The numbers of all slots; those of one begin at `numberAt(slot)`. */
  readonly numbers: Float64Array;
  /** The short numbers of all slots; those of one begin at `shortAt(slot)`. The last of four is the length of the text. */
  readonly shorts: Uint16Array;
  /** The result of `fetch`, because V8 removes reads with unused results. */
  fetched = 0;
  readonly #bytes: Buffer;
  readonly #others = new Map<number, string>();

  constructor(capacity: number) {
    const memory = new ArrayBuffer(capacity * slotBytes);
    this.numbers = new Float64Array(memory);
    this.shorts = new Uint16Array(memory);
    this.#bytes = Buffer.from(memory);
  }

  /** Returns the index of a slot's first number. */
  numberAt(slot: number): number {
    return slot * (slotBytes / Float64Array.BYTES_PER_ELEMENT);
  }

  /** Returns the index of a slot's first short number. */
  shortAt(slot: number): number {
    return (slot * slotBytes + headBytes) / Uint16Array.BYTES_PER_ELEMENT - shortsOfSlot;
  }

  readNumbers(slot: number): Float64Array {
    return this.numbers.subarray(this.numberAt(slot), this.numberAt(slot) + numbersOfSlot);
  }

  /** Returns the short numbers of a slot, without the length of the text. */
  readShorts(slot: number): Uint16Array {
    return this.shorts.subarray(this.shortAt(slot), this.shortAt(slot) + shortsOfSlot - 1);
  }

  /** Prefetches the slot needed next, because waiting for it takes longer than writing it. */
  fetch(slot: number): void {
    const from = slot * slotBytes;
    const bytes = this.#bytes;
    this.fetched = (bytes[from] ?? 0) + (bytes[from + lineBytes] ?? 0) + (bytes[from + 2 * lineBytes] ?? 0);
  }

  /** Replaces the text of a slot. The text may come in two pieces. */
  setText(slot: number, first: string, second = ''): void {
    if (this.#others.size > 0) this.#others.delete(slot);
    const units = first.length + second.length;
    if (units <= slotTextMax) {
      const from = slot * slotBytes + headBytes;
      const seen = writeLatin1(this.#bytes, from, first) | writeLatin1(this.#bytes, from + first.length, second);
      if (seen <= latin1Max) {
        this.shorts[this.shortAt(slot) + shortsOfSlot - 1] = units;
        return;
      }
    }
    this.#others.set(slot, ownText(first + second));
  }

  text(slot: number): string {
    const from = slot * slotBytes + headBytes;
    const units = this.shorts[this.shortAt(slot) + shortsOfSlot - 1] ?? 0;
    return this.#others.get(slot) ?? this.#bytes.toString('latin1', from, from + units);
  }
}

/** Writes Latin-1, faster than `Buffer.write` for short texts. Returns the OR of its code units: above 0xff, it is not Latin-1. */
function writeLatin1(bytes: Buffer, at: number, text: string): number {
  let seen = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    seen |= unit;
    bytes[at + index] = unit;
  }
  return seen;
}
