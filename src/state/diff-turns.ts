import { StateFault } from './state-fault.js';

/** How many diffs may wait for their clients to read them. (Our choice: each takes up to 50 MB.) */
const unreadMax = 4;

/** How long a client waits for others to read theirs. Unit: milliseconds. (Our choice: what a client of HTTP is patient for.) */
const patienceMs = 10_000;

/** Makes one diff at a time: each keeps its differences in memory until its client has read them. */
export class DiffTurns {
  readonly #waitMs: number;
  #last: Promise<unknown> = Promise.resolve();
  #unread = 0;
  #wake = () => {};

  /** `waitMs` is how long a client waits while too many diffs are unread. */
  constructor(waitMs = patienceMs) {
    this.#waitMs = waitMs;
  }

  /**
   * Runs after all earlier calls. `gone` is aborted once the client has read the result, or has left.
   *
   * Errors: StateFault, without a run, if too many results stay unread or the client has left.
   */
  take<Result>(run: () => Promise<Result>, gone: AbortSignal | undefined): Promise<Result> {
    const endsAt = performance.now() + this.#waitMs;
    const result = this.#last.then(async () => {
      const leftMs = endsAt - performance.now();
      if (this.#unread >= unreadMax && leftMs > 0) await this.#isRead(leftMs);
      return this.#run(run, gone);
    });
    // A diff that fails is not the fault of the next one, which must not keep its result either.
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

  /** Waits until a result has been read, for this long at most. One call waits at a time. */
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
