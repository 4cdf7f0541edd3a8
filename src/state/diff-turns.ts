import { StateFault } from './state-fault.js';

/** Most diffs that clients have not yet read to the end. (Our choice: each takes up to 50 MB.) */
const unreadMax = 4;

/** Longest wait for other clients to read their diffs. Unit: milliseconds. (Our choice: within the patience of HTTP clients.) */
const patienceMs = 10_000;

/** Runs one diff at a time, because each stays in memory until its client has read it. */
export class DiffTurns {
  readonly #waitMs: number;
  #last: Promise<unknown> = Promise.resolve();
  #unread = 0;
  #wake = () => {};

  /** `waitMs` is the longest wait while too many diffs are unread. */
  constructor(waitMs = patienceMs) {
    this.#waitMs = waitMs;
  }

  /**
   * Runs after all earlier calls. `gone` aborts once the client has read the result or disconnected.
   *
   * Errors: StateFault, without running, if too many results stay unread or the client has disconnected.
   */
  take<Result>(run: () => Promise<Result>, gone: AbortSignal | undefined): Promise<Result> {
    const endsAt = performance.now() + this.#waitMs;
    const result = this.#last.then(async () => {
      const leftMs = endsAt - performance.now();
      if (this.#unread >= unreadMax && leftMs > 0) await this.#isRead(leftMs);
      return this.#run(run, gone);
    });
    // Drops the result and the error, so that the chain neither retains the one nor passes on the other.
    const done = () => {};
    this.#last = result.then(done, done);
    return result;
  }

  async #run<Result>(run: () => Promise<Result>, gone: AbortSignal | undefined): Promise<Result> {
    if (gone?.aborted || this.#unread >= unreadMax) {
      const hint = 'Read them, or try again later.';
      throw new StateFault('not-done', `${unreadMax} diffs are not read to their end yet. ${hint}`);
    }
    const result = await run();
    if (gone && !gone.aborted) {
      this.#unread++;
      const free = () => {
        this.#unread--;
        this.#wake();
      };
      gone.addEventListener('abort', free, { once: true });
    }
    return result;
  }

  /** Waits until a result has been read, or for `ms`. One call waits at a time. */
  #isRead(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
