import { ownText } from '../../remembered.js';

/** Size of a slot. Unit: bytes. (Our choice: what is kept of most requests fits.) */
const slotBytes = 256;

/** How many numbers a slot has before its text, and how many short ones after them: 64 bytes in all. */
const numbersOfSlot = 7;
const shortsOfSlot = 4;
const headBytes = numbersOfSlot * Float64Array.BYTES_PER_ELEMENT + shortsOfSlot * Uint16Array.BYTES_PER_ELEMENT;

/** What a processor fetches at once. Unit: bytes. */
const lineBytes = 64;

/** The longest text that is copied into a slot. Unit: UTF-16 code units. */
export const slotTextMax = slotBytes - headBytes;

/** The highest UTF-16 code unit that one byte holds as Latin-1. */
const latin1Max = 0xff;

/**
 * Memory outside of the heap for records of one size: seven numbers, three numbers below 65,536, and a text. A text that is long or
 * not Latin-1 is kept in the heap.
 *
 * A ring comes back to a slot after thousands of requests, when no cache of the processor has it any more. So all of a slot is
 * side by side. The garbage collector has nothing to move: a ring of objects took 8 % more processor time for each point read.
 */
export class SlotMemory {
  /** The numbers of all slots; those of one begin at `numberAt(slot)`. */
  readonly numbers: Float64Array;
  /** The short numbers of all slots; those of one begin at `shortAt(slot)`. The last of four is ours. */
  readonly shorts: Uint16Array;
  /** What `fetch` has read. V8 leaves out reads whose results are not kept. */
  fetched = 0;
  readonly #bytes: Buffer;
  readonly #others = new Map<number, string>();

  constructor(capacity: number) {
    const memory = new ArrayBuffer(capacity * slotBytes);
    this.numbers = new Float64Array(memory);
    this.shorts = new Uint16Array(memory);
    this.#bytes = Buffer.from(memory);
  }

  /** Returns where the numbers of a slot begin. */
  numberAt(slot: number): number {
    return slot * (slotBytes / Float64Array.BYTES_PER_ELEMENT);
  }

  /** Returns where the short numbers of a slot begin. */
  shortAt(slot: number): number {
    return (slot * slotBytes + headBytes) / Uint16Array.BYTES_PER_ELEMENT - shortsOfSlot;
  }

  /** Returns the numbers of a slot. */
  readNumbers(slot: number): Float64Array {
    return this.numbers.subarray(this.numberAt(slot), this.numberAt(slot) + numbersOfSlot);
  }

  /** Returns the short numbers of a slot. */
  readShorts(slot: number): Uint16Array {
    return this.shorts.subarray(this.shortAt(slot), this.shortAt(slot) + shortsOfSlot - 1);
  }

  /** Lets the processor fetch the slot that is needed next. To wait for it takes longer than to write the slot. */
  fetch(slot: number): void {
    const from = slot * slotBytes;
    const bytes = this.#bytes;
    this.fetched = (bytes[from] ?? 0) + (bytes[from + lineBytes] ?? 0) + (bytes[from + 2 * lineBytes] ?? 0);
  }

  /** Keeps a text, which may come in two pieces, in place of the one in the slot. */
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

  /** Returns the text in a slot. */
  text(slot: number): string {
    const from = slot * slotBytes + headBytes;
    const units = this.shorts[this.shortAt(slot) + shortsOfSlot - 1] ?? 0;
    return this.#others.get(slot) ?? this.#bytes.toString('latin1', from, from + units);
  }
}

/**
 * Writes a text as Latin-1 to a place. Returns all bits of its code units: above 0xff, it is not Latin-1. For short texts this is faster
 * than `Buffer.write`.
 */
function writeLatin1(bytes: Buffer, at: number, text: string): number {
  let seen = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    seen |= unit;
    bytes[at + index] = unit;
  }
  return seen;
}
