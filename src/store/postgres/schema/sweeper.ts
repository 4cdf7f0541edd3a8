import type { Readers } from '../read/readers.js';
import { sweepEnded } from '../snapshots/branch-statements.js';
import { countDropped, forgetWriters, sweepDropped } from './statements.js';

/** How many rows one statement removes. */
const portion = 500;

/** Time between two looks for tables that other servers dropped. Unit: milliseconds. */
const pauseMs = 60_000;

/** Pause while another server sweeps the last tables. Unit: milliseconds. */
const otherMs = 50;

/** Removes the rows of dropped tables in the background, a portion at a time. Servers share the work. */
export class Sweeper {
  readonly #readers: Readers;
  readonly #report: (error: unknown) => void;
  #sweeping: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(readers: Readers, report: (error: unknown) => void) {
    this.#readers = readers;
    this.#report = report;
  }

  /** Begins to look for dropped tables, now and every minute. */
  start(): void {
    this.#timer = setInterval(() => this.wake(), pauseMs).unref();
    this.wake();
  }

  /** Looks for dropped tables now. */
  wake(): void {
    this.#isWanted = true;
    this.#sweeping ??= this.#sweep()
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        this.#sweeping = undefined;
        if (this.#isWanted && !this.#isStopped) this.wake();
      });
  }

  /** Resolves when no dropped table is left, on whichever server it was dropped. */
  async settled(): Promise<void> {
    for (;;) {
      this.wake();
      await this.#sweeping;
      const { rows } = await this.#readers.run(countDropped, []);
      if (rows[0].dropped === 0) return;
      await new Promise((resolve) => setTimeout(resolve, otherMs));
    }
  }

  /** Stops after the portion under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false;
      await this.#readers.run(sweepEnded, []);
      for (let found = 1; found > 0 && !this.#isStopped; ) {
        const { rows } = await this.#readers.run(sweepDropped, [portion]);
        found = rows.length;
      }
      if (!this.#isStopped) await this.#readers.run(forgetWriters, []);
    }
  }
}
