import type { State } from '../state/state.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import { answerList } from './answer-list.js';
import { answerJson, type ControlRow } from './control-row.js';
import { explaining } from './explain-state-fault.js';
import { FieldFault } from './read-fields.js';

const names = ['from', 'to', 'account', 'table', 'limit'] as const;

/** How many diffs may wait for their clients to read them. Ours: each takes up to 50 MB. */
const unreadMax = 4;

/** How long a client waits for others to read theirs. Unit: milliseconds. Ours: what a client of HTTP is patient for. */
const patienceMs = 10_000;

/** Returns the row that compares two states. `waitMs` is how long a client waits while too many diffs are unread. */
export function diffRow(state: Pick<State, 'diff'>, waitMs = patienceMs): ControlRow {
  const turns = new DiffTurns(waitMs);
  return {
    method: 'GET',
    path: `${controlRoot}/diff`,
    purpose: 'what differs between two snapshots or accounts; ?from=base&to=&account=&table=&limit=',
    query: { values: names },
    refusesHead: true,
    run: explaining(async ({ query, gone }) => {
      const { from, limit, ...others } = Object.fromEntries(query) as Partial<Record<(typeof names)[number], string>>;
      if (from === undefined) throw new FieldFault('Name the earlier state, a snapshot or an account: ?from=base.');
      const wish = { ...others, from, ...(limit !== undefined && { limit: Number(limit) }) };
      const report = await turns.take(() => state.diff(wish), gone);
      if (!report) {
        return answerJson(503, {
          error: `${unreadMax} diffs are not read to their end yet. Read them, or try again later.`,
        });
      }
      return answerList('{"differences":[', report.differences, `],"more":${report.more}}\n`);
    }),
  };
}

/** Makes one diff at a time: each keeps its differences in memory until its client has read them. */
class DiffTurns {
  readonly #waitMs: number;
  #last: Promise<unknown> = Promise.resolve();
  #unread = 0;
  #wake = () => {};

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /**
   * Runs after all earlier calls. Returns undefined, without a run, if too many results stay unread or the client has left.
   * `gone` is aborted once the client has read the result, or has left.
   */
  take<Result>(run: () => Promise<Result>, gone: AbortSignal | undefined): Promise<Result | undefined> {
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

  async #run<Result>(run: () => Promise<Result>, gone: AbortSignal | undefined): Promise<Result | undefined> {
    if (gone?.aborted || this.#unread >= unreadMax) return undefined;
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
