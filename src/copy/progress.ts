/** Least time between two lines. Unit: milliseconds. (Our choice.) */
const printedMs = { terminal: 250, log: 5000 } as const;

/** Shows the progress of a copy from time to time. */
export class Progress {
  readonly #show: (text: string) => void;
  readonly #isTerminal: boolean;
  #what = '';
  #startedAt = 0;
  #printedAt = performance.now();
  #rows = 0;

  /** `show` replaces the last text on a terminal. */
  constructor(show: (text: string) => void, isTerminal: boolean) {
    this.#show = show;
    this.#isTerminal = isTerminal;
  }

  /** Adds rows of a table. `fraction` is the part of the table that is done, from 0 to 1, if it is known. */
  add(what: string, rows: number, fraction?: number): void {
    const now = performance.now();
    if (what !== this.#what) {
      this.#what = what;
      this.#startedAt = now;
      this.#rows = 0;
    }
    this.#rows += rows;
    if (now - this.#printedAt < printedMs[this.#isTerminal ? 'terminal' : 'log']) return;
    this.#printedAt = now;
    const seconds = Math.max(0.001, (now - this.#startedAt) / 1000);
    const left = fraction ? `, ${Math.ceil((seconds * (1 - fraction)) / fraction)} s left` : '';
    this.#show(`${what}: ${this.#rows} entities, ${Math.round(this.#rows / seconds)} a second${left}`);
  }

  /** Removes it from a terminal. */
  end(): void {
    if (this.#isTerminal) this.#show('');
  }
}
