/** Units and rows in memory. */
interface Amount {
  /** UTF-16 code units of text. */
  readonly units: number;
  readonly rows: number;
}

/**
 * Bounds the entities that are read and not yet written. A short queue lets the oldest page, and with it the state of the copy, come
 * through first.
 */
export class Flow {
  readonly #max: Amount;
  #units = 0;
  #rows = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(max: Amount) {
    this.#max = max;
  }

  /** Waits until there is room. There is always room for one page. */
  async take({ units, rows }: Amount): Promise<void> {
    while (this.#units > 0 && (this.#units + units > this.#max.units || this.#rows + rows > this.#max.rows))
      await new Promise<void>((go) => this.#waiting.push(go));
    this.#units += units;
    this.#rows += rows;
  }

  /** Gives room back. */
  free({ units, rows }: Amount): void {
    this.#units -= units;
    this.#rows -= rows;
    for (const go of this.#waiting.splice(0)) go();
  }
}
