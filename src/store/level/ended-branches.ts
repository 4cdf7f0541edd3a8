/** How long a request may run that began before its branch ended. Unit: milliseconds. Ours: far longer than any. */
const lateMs = 60 * 60 * 1000;

/**
 * The accounts of branches that ended lately. Requests that began before may still create tables and write settings, which
 * nothing would ever remove.
 */
export class EndedBranches {
  /** When they ended, the first one first. Unit: milliseconds of `performance.now()`. */
  readonly #ended = new Map<string, number>();

  /** Notes that a branch ended. */
  add(account: string): void {
    const now = performance.now();
    for (const [one, at] of this.#ended) {
      if (at > now - lateMs) break;
      this.#ended.delete(one);
    }
    this.#ended.set(account, now);
  }

  /** Takes back that a branch ended, because that could not be written. */
  remove(account: string): void {
    this.#ended.delete(account);
  }

  /** Returns whether an account was a branch that ended lately. */
  has(account: string): boolean {
    return this.#ended.has(account);
  }
}
