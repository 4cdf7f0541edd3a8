/** What a row takes in a queue, at least: many small rows would delay the oldest page, and with it the state. (Our choice.) */
const rowUnitsMin = 8192;

/**
 * Bounds the entities that are read and not yet written. A short queue lets the oldest page, and with it the state of the copy, come
 * through first.
 */
export class Flow {
  readonly #max: number;
  #units = 0;
  readonly #waiting: (() => void)[] = [];

  /** Unit of `max`: UTF-16 code units of text. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Waits until there is room for a page. There is always room for one. Returns what it takes. */
  async take(textUnits: number, rows: number): Promise<number> {
    const units = Math.max(textUnits, rows * rowUnitsMin);
    while (this.#units > 0 && this.#units + units > this.#max) await new Promise<void>((go) => this.#waiting.push(go));
    this.#units += units;
    return units;
  }

  /** Gives room back. */
  free(units: number): void {
    this.#units -= units;
    for (const go of this.#waiting.splice(0)) go();
  }
}
