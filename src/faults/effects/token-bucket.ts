/** A bucket that fills at a rate up to a capacity. What is taken may exceed what is there; it then fills from below. */
export class TokenBucket {
  readonly #rate: number;
  readonly #capacity: number;
  #level: number;
  #at: number;

  /** `rate` is in tokens a second. `now` is in milliseconds, of any clock. The bucket is full, with one token at least. */
  constructor(rate: number, capacity: number, now: number) {
    this.#rate = rate;
    this.#capacity = Math.max(1, capacity);
    this.#level = this.#capacity;
    this.#at = now;
  }

  /** Returns whether there is no whole token. */
  isEmpty(now: number): boolean {
    this.#fill(now);
    return this.#level < 1;
  }

  /** Returns when there is a whole token again. Unit: milliseconds. */
  waitMs(now: number): number {
    this.#fill(now);
    return Math.max(0, ((1 - this.#level) / this.#rate) * 1000);
  }

  /** Takes tokens. */
  take(tokens: number, now: number): void {
    this.#fill(now);
    this.#level -= tokens;
  }

  #fill(now: number): void {
    const seconds = Math.max(0, now - this.#at) / 1000;
    this.#level = Math.min(this.#capacity, this.#level + seconds * this.#rate);
    this.#at = now;
  }
}
