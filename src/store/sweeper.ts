import type { Engine, RecordChange } from './commit-queue.js';
import { decodeRecordKey, encodeRange, entityPrefix, kindRange } from './key-encoding.js';

/** Entities removed in one go; small, so that no request waits long behind it. */
const sweepRowsMax = 500;

/**
 * Removes the entities of dropped tables, a few at a time, in the background. What it has not done when the process
 * ends it finds again at the next start, since the note of a dropped table goes last.
 */
export class Sweeper {
  readonly #engine: Engine;
  readonly #write: (changes: readonly RecordChange[]) => Promise<void>;
  readonly #report: (error: unknown) => void;
  #sweeping: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  /** Writes go where all others go: a failed one must be seen by all. */
  constructor(
    engine: Engine,
    write: (changes: readonly RecordChange[]) => Promise<void>,
    report: (error: unknown) => void,
  ) {
    this.#engine = engine;
    this.#write = write;
    this.#report = report;
  }

  /** Begins to sweep, or has the present sweep look once more when it is done. */
  start(): void {
    if (this.#stopped) return;
    if (this.#sweeping) {
      this.#again = true;
      return;
    }
    this.#sweeping = this.#sweep()
      .catch(this.#report)
      .finally(() => {
        this.#sweeping = undefined;
        if (this.#again) {
          this.#again = false;
          this.start();
        }
      });
  }

  /** Resolves when nothing is being swept. */
  async settled(): Promise<void> {
    while (this.#sweeping) await this.#sweeping;
  }

  /** Stops after the rows at hand. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.settled();
  }

  async #sweep(): Promise<void> {
    for (const note of await this.#engine.keys(kindRange('dropped')).all()) {
      const { account, rest } = decodeRecordKey(note);
      const prefix = entityPrefix(account, rest);
      const range = encodeRange(prefix, {});
      for (;;) {
        if (this.#stopped) return;
        const keys = await this.#engine.keys({ ...range, limit: sweepRowsMax }).all();
        if (keys.length === 0) break;
        await this.#write(keys.map((key) => ({ key, value: null })));
      }
      await this.#write([{ key: note, value: null }]);
    }
  }
}
