import { thresholds } from '../rules/thresholds.js';

/** How many unused tokens of a shape are followed. Ours: three make a finding. */
const openMax = 16;

/** The continuation tokens of one shape of queries that no request has used yet. */
export class OpenTokens {
  readonly #open: { readonly at: number; readonly isEmpty: boolean }[] = [];

  /** Adds the token of an answer. `at` is in milliseconds; `isEmpty`: whether its page has no entities. */
  open(at: number, isEmpty: boolean): void {
    if (this.#open.length >= openMax) this.#open.shift();
    this.#open.push({ at, isEmpty });
  }

  /** Removes the token that was used. Which one is not known; clients mostly use the newest. */
  use(): void {
    this.#open.pop();
  }

  /** Returns what is ignored at a time, after which no client may use it any more. */
  ignoredAt(now: number): { readonly tokens: number; readonly ofEmptyPages: number } {
    const ignored = this.#open.filter(({ at }) => now - at >= thresholds.tokenMs);
    return { tokens: ignored.length, ofEmptyPages: ignored.filter(({ isEmpty }) => isEmpty).length };
  }
}
