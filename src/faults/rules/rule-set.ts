import type { FaultSummary } from '../contract.js';
import { ActiveRule } from './active-rule.js';
import { checkCount, rulesMax } from './invalid-rule.js';
import { completeRules, type Lasting, readRules } from './new-rules.js';

/** The rules of a server, in the order in which they were added. */
export class RuleSet {
  readonly #onRemoved: () => void;
  /** All rules, including ended ones. */
  #rules: readonly ActiveRule[] = [];
  #active: readonly ActiveRule[] = [];
  /** How many rules were added since the set was last empty. */
  #total = 0;

  /** Calls `onRemoved` after removing or replacing a rule. */
  constructor(onRemoved: () => void) {
    this.#onRemoved = onRemoved;
  }

  /** The rules that may act on a request. */
  get active(): readonly ActiveRule[] {
    return this.#active;
  }

  /** Drops ended rules from `active`; they stay in the list. `now` is in milliseconds of `performance.now()`. */
  sweep(now: number): void {
    if (this.#active.some((rule) => rule.hasEnded(now)))
      this.#active = this.#active.filter((rule) => !rule.hasEnded(now));
  }

  /** Adds all rules or none, after the existing ones. A rule replaces one with the same id. Errors: InvalidRule. */
  add(values: readonly unknown[], lasts: Lasting = 'usual'): readonly FaultSummary[] {
    const read = readRules(values, lasts);
    const named = new Set(read.map(({ rule }) => rule.id));
    const others = this.#rules.filter(({ id }) => !named.has(id));
    const ended = others.filter((rule) => rule.hasEnded());
    checkCount(others.length - ended.length + read.length);
    const forgotten = new Set(ended.slice(0, -rulesMax));
    const added = completeRules(read, this.#rules, this.#total).map((rule) => new ActiveRule(rule));
    this.#use([...others.filter((rule) => !forgotten.has(rule)), ...added]);
    return added.map((rule) => rule.summary());
  }

  /** Replaces all rules, or changes nothing. Errors: InvalidRule. */
  replace(values: readonly unknown[]): readonly FaultSummary[] {
    const read = readRules(values, 'usual');
    const added = completeRules(read, [], 0).map((rule) => new ActiveRule(rule));
    this.#use([]);
    this.#use(added);
    return added.map((rule) => rule.summary());
  }

  /** Removes the rule with this id, or all. Returns whether any existed. */
  remove(id?: string): boolean {
    const rest = id === undefined ? [] : this.#rules.filter((rule) => rule.id !== id);
    const isFound = rest.length < this.#rules.length;
    this.#use(rest);
    return isFound;
  }

  list(): readonly FaultSummary[] {
    return this.#rules.map((rule) => rule.summary());
  }

  #use(rules: readonly ActiveRule[]): void {
    const rest = new Set(rules);
    const isAnyGone = this.#rules.some((rule) => !rest.has(rule));
    this.#total = rules.length === 0 ? 0 : this.#total + rules.filter((rule) => !this.#rules.includes(rule)).length;
    this.#rules = rules;
    this.#active = rules.filter((rule) => !rule.hasEnded());
    if (isAnyGone) this.#onRemoved();
  }
}
