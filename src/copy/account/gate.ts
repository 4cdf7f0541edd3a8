/** Least time between two halvings: requests that were in flight together count once. Unit: milliseconds. (Our choice.) */
const halvedMs = 500;

/**
 * Limits the number of requests in flight. A busy service halves the limit, and each answer raises it a little, so that a copy finds
 * the rate that an account allows.
 */
export class Gate {
  #limit: number;
  readonly #max: number;
  #inFlight = 0;
  #halvedAt = Number.NEGATIVE_INFINITY;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#max = max;
    this.#limit = max;
  }

  /** The present limit. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** Runs a request when there is room for it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    while (this.#inFlight >= this.limit) await new Promise<void>((go) => this.#waiting.push(go));
    this.#inFlight++;
    try {
      return await work();
    } finally {
      this.#inFlight--;
      this.#waiting.shift()?.();
    }
  }

  /** Records that the service was busy. */
  slower(now = Date.now()): void {
    if (now - this.#halvedAt < halvedMs) return;
    this.#halvedAt = now;
    this.#limit = Math.max(1, this.#limit / 2);
  }

  /** Records an answer. */
  faster(): void {
    const before = this.limit;
    this.#limit = Math.min(this.#max, this.#limit + 0.1);
    if (this.limit > before) this.#waiting.shift()?.();
  }
}
