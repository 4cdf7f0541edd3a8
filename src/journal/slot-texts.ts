/**
 * Keeps a text for each slot. Short ASCII is copied into memory outside of the heap, because the garbage collector would
 * otherwise move the texts of every request from one generation to the next. Other texts are kept as they are.
 */
export class SlotTexts {
  readonly #unitsMax: number;
  readonly #bytes: Buffer;
  readonly #lengths: Uint8Array;
  readonly #others = new Map<number, string>();

  /** Copies texts of up to `unitsMax` characters, which is at most 255. */
  constructor(capacity: number, unitsMax: number) {
    this.#unitsMax = unitsMax;
    this.#bytes = Buffer.allocUnsafeSlow(capacity * 2 * unitsMax);
    this.#lengths = new Uint8Array(capacity);
  }

  /** Keeps a text in place of the one in the slot. */
  set(slot: number, text: string): void {
    if (this.#others.size > 0) this.#others.delete(slot);
    // There is space for twice the units, so that a text that is not ASCII takes more bytes than it has units.
    const space = 2 * this.#unitsMax;
    const isShort = text.length <= this.#unitsMax;
    if (isShort && this.#bytes.write(text, slot * space, space, 'utf8') === text.length) {
      this.#lengths[slot] = text.length;
    } else {
      this.#others.set(slot, text);
    }
  }

  /** Returns the text in a slot. */
  get(slot: number): string {
    const from = slot * 2 * this.#unitsMax;
    return this.#others.get(slot) ?? this.#bytes.toString('latin1', from, from + (this.#lengths[slot] ?? 0));
  }
}
