/** What a model makes of an operation: the state afterwards, or that the operation cannot have answered so. */
export type Step<State> = { readonly after: State } | 'impossible';

/** An operation somebody asked for, with when he did and when he knew the answer. */
export interface HistoryEntry<State> {
  readonly name: string;
  /** Places in the history; an operation that began after another had ended comes after it. */
  readonly begun: number;
  readonly ended: number;
  /** Judges the answer, were the operation made at once in this state. */
  readonly judge: (state: State) => Step<State>;
}

/** Records what concurrent clients ask for and are answered. */
export class History<State> {
  readonly entries: HistoryEntry<State>[] = [];
  #place = 0;

  /** Has an operation made, and notes how its answer is judged. */
  async record<T>(
    name: string,
    operation: () => T | Promise<T>,
    judge: (answer: T, state: State) => Step<State>,
  ): Promise<T> {
    const begun = this.#place++;
    const started = operation();
    // An answer that is there at once is known at once: others may begin between it and the next turn of the loop.
    const answer = started instanceof Promise ? await started : started;
    const ended = this.#place++;
    this.entries.push({ name, begun, ended, judge: (state) => judge(answer, state) });
    return answer;
  }
}

/**
 * Whether a history is linearisable: there is an order of its operations that keeps what was over before something
 * else began in front of it, and in which every answer is right. Gives the longest beginning of an order that there is.
 *
 * Source: Wing and Gong, "Testing and verifying concurrent objects".
 */
export function linearise<State>(
  history: readonly HistoryEntry<State>[],
  initial: State,
  keyOf: (state: State) => string,
): { readonly complete: boolean; readonly order: readonly string[] } {
  const entries = [...history].sort((a, b) => a.begun - b.begun);
  const seen = new Set<string>();
  const done = new Set<number>();
  const order: string[] = [];
  let longest: readonly string[] = [];

  const search = (state: State): boolean => {
    if (done.size === entries.length) return true;
    const key = `${[...done].sort((a, b) => a - b).join()};${keyOf(state)}`;
    if (seen.has(key)) return false;
    seen.add(key);
    const firstEnd = Math.min(...entries.filter((_, at) => !done.has(at)).map(({ ended }) => ended));
    for (const [at, entry] of entries.entries()) {
      if (done.has(at) || entry.begun > firstEnd) continue;
      const step = entry.judge(state);
      if (step === 'impossible') continue;
      done.add(at);
      order.push(entry.name);
      if (order.length > longest.length) longest = [...order];
      if (search(step.after)) return true;
      order.pop();
      done.delete(at);
    }
    return false;
  };
  return { complete: search(initial), order: longest };
}
