import type { FaultSummary } from '../contract.js';
import { ActiveRule } from './active-rule.js';
import { checkCount, rulesMax } from './invalid-rule.js';
import { completeRules, type Lasting, readRules } from './new-rules.js';

/** The rules of a server, in the order in which they were added. */
export class RuleSet {
  readonly #onRemoved: () => void;
  /** All rules, with the ended ones. */
  #rules: readonly ActiveRule[] = [];
  #active: readonly ActiveRule[] = [];
  /** How many rules were added since there were none. */
  #made = 0;

  /** `onRemoved` is called after a rule was removed or replaced. */
  constructor(onRemoved: () => void) {
    this.#onRemoved = onRemoved;
  }

  /** The rules that may act on a request. */
  get active(): readonly ActiveRule[] {
    return this.#active;
  }

  /** Forgets the rules that have ended. They stay in the list. `now` is in milliseconds of `performance.now()`. */
  sweep(now: number): void {
    if (this.#active.some((rule) => rule.hasEnded(now)))
      this.#active = this.#active.filter((rule) => !rule.hasEnded(now));
  }

  /** Adds rules after those before them, all or none. A rule with the id of another replaces it. Errors: InvalidRule. */
  add(values: readonly unknown[], lasts: Lasting = 'usual'): readonly FaultSummary[] {
    const read = readRules(values, lasts);
    const named = new Set(read.map(({ rule }) => rule.id));
    const others = this.#rules.filter(({ id }) => !named.has(id));
    const ended = others.filter((rule) => rule.hasEnded());
    checkCount(others.length - ended.length + read.length);
    const forgotten = new Set(ended.slice(0, -rulesMax));
    const added = completeRules(read, this.#rules, this.#made).map((rule) => new ActiveRule(rule));
    this.#use([...others.filter((rule) => !forgotten.has(rule)), ...added]);
    return added.map((rule) => rule.summary());
  }

  /** Replaces all rules by these, or leaves all as they are. Errors: InvalidRule. */
  replace(values: readonly unknown[]): readonly FaultSummary[] {
    const read = readRules(values, 'usual');
    const added = completeRules(read, [], 0).map((rule) => new ActiveRule(rule));
    this.#use([]);
    this.#use(added);
    return added.map((rule) => rule.summary());
  }

  /** Removes the rule with this id, or all. Returns whether there was one. */
  remove(id?: string): boolean {
    const left = id === undefined ? [] : this.#rules.filter((rule) => rule.id !== id);
    const isFound = left.length < this.#rules.length;
    this.#use(left);
    return isFound;
  }

  /** Returns all rules, and the last ones that have ended. */
  list(): readonly FaultSummary[] {
    return this.#rules.map((rule) => rule.summary());
  }

  #use(rules: readonly ActiveRule[]): void {
    const left = new Set(rules);
    const isAnyGone = this.#rules.some((rule) => !left.has(rule));
    this.#made = rules.length === 0 ? 0 : this.#made + rules.filter((rule) => !this.#rules.includes(rule)).length;
    this.#rules = rules;
    this.#active = rules.filter((rule) => !rule.hasEnded());
    if (isAnyGone) this.#onRemoved();
  }
}
