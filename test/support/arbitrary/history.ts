/** The result of an operation in a model: the state afterwards, or that this answer is impossible. */
export type Step<State> = { readonly after: State } | 'impossible';

/** An operation of a client, with the places of its request and of its answer. */
export interface HistoryEntry<State> {
  readonly name: string;
  /** Places in the history. An operation that begins after another has ended comes after it. */
  readonly begun: number;
  readonly ended: number;
  /** Returns the state after the operation, if its answer is possible in this state. */
  readonly judge: (state: State) => Step<State>;
}

/** Records the operations of concurrent clients and their answers. */
export class History<State> {
  readonly entries: HistoryEntry<State>[] = [];
  #place = 0;

  /** Runs an operation, and records how its answer is judged. */
  async record<T>(
    name: string,
    operation: () => T | Promise<T>,
    judge: (answer: T, state: State) => Step<State>,
  ): Promise<T> {
    const begun = this.#place++;
    const started = operation();
    // A synchronous answer ends here: other operations may begin before the next turn of the event loop.
    const answer = started instanceof Promise ? await started : started;
    const ended = this.#place++;
    this.entries.push({ name, begun, ended, judge: (state) => judge(answer, state) });
    return answer;
  }
}

/**
 * Checks whether a history is linearizable: some order of its operations keeps each operation after those that had
 * ended before it began, and makes every answer correct. Returns the longest beginning of such an order.
 *
 * Source: Wing and Gong, "Testing and verifying concurrent objects".
 */
export function linearize<State>(
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
