/** The state of a server's clock, as the control endpoints report it. */
export interface ClockState {
  /** The instant for Timestamps and signatures: UTC text. */
  readonly now: string;
  readonly frozen: boolean;
  /** How far it is ahead of the real time when it resumes. Unit: milliseconds. */
  readonly aheadMs: number;
}

/** A change of the clock that is rejected, with a message for people. */
export class ClockFault extends Error {
  override readonly name = 'ClockFault';
}

/** The last instant that the clock may reach. (Our choice: a date of the service has four digits for the year.) */
const lastInstant = Date.UTC(9000, 0);

/**
 * The time of a server, which tests may freeze and advance. It never goes back, because no Timestamp may be issued twice. Until
 * it is changed, it is the real time.
 */
export class TestClock {
  readonly #real: (() => number) | undefined;
  #ahead = 0;
  #frozenAt: number | undefined;

  /** `real` returns milliseconds since 1970; absent: the clock of the machine. */
  constructor(real?: () => number) {
    this.#real = real;
  }

  /** Returns milliseconds since 1970, by this clock. */
  readonly now = (): number => this.#frozenAt ?? (this.#real ? this.#real() : Date.now()) + this.#ahead;

  state(): ClockState {
    return {
      now: new Date(this.now()).toISOString(),
      frozen: this.#frozenAt !== undefined,
      aheadMs: this.#ahead,
    };
  }

  /**
   * Stops the clock now or at a later instant, plus `forward`. Units: milliseconds since 1970, milliseconds. Errors: ClockFault; the
   * clock is then unchanged.
   */
  freeze(at?: number, forward = 0): void {
    const now = this.now();
    this.#frozenAt = this.#goTo((at ?? now) + forward, now);
  }

  /** Moves the clock forward. A frozen clock stays frozen. Unit: milliseconds. Errors: ClockFault. */
  advance(ms: number): void {
    const now = this.now();
    const to = this.#goTo(now + ms, now);
    if (this.#frozenAt !== undefined) this.#frozenAt = to;
  }

  /** Resumes the clock: the real time plus every advance. */
  resume(): void {
    this.#frozenAt = undefined;
  }

  /** Goes to an instant, which it returns. `now` was read once: the real time may advance within a call. */
  #goTo(instant: number, now: number): number {
    const asked = Number.isFinite(instant) ? new Date(instant) : undefined;
    if (!asked || instant > lastInstant)
      throw new ClockFault('The clock ends with the year 9000. Use an earlier instant.');
    if (instant < now) {
      const told = `${asked.toISOString()} is before ${new Date(now).toISOString()}`;
      throw new ClockFault(`The clock only goes forward, and ${told}. Use a later instant.`);
    }
    this.#ahead += instant - now;
    return instant;
  }
}
