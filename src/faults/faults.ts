import { randomInt } from 'node:crypto';
import type { GatedRequest, OperationGate, RunOperation, TableWrap } from '../http/operation-gate.js';
import type { ServiceAnswer } from '../http/service-answer.js';
import type { TableStore } from '../store/store.js';
import { ActiveRule } from './active-rule.js';
import type { FaultSummary } from './contract.js';
import { DeletedTables } from './deleted-tables.js';
import type { Strike } from './effect.js';
import { withSeeds } from './profiles.js';
import { type ReadRule, readRule } from './read-rule.js';
import { readRuleTexts } from './read-rule-text.js';
import { InvalidRule } from './read-value.js';
import { Waits } from './waits.js';

/** How many rules a server has at most, and how many it lists after they have ended. Ours: each costs every request. */
const rulesMax = 100;

/** The fault rules of a server. Each server has its own, also where several serve one database. */
export class Faults implements OperationGate {
  /** Is a field, because every request of the service reads it. */
  isActive = false;
  readonly #store: TableStore;
  readonly #deleted: DeletedTables | undefined;
  readonly #now: () => number;
  readonly #waits = new Waits();
  #rules: readonly ActiveRule[] = [];
  #ended: readonly ActiveRule[] = [];
  #made = 0;

  /**
   * `now` is in milliseconds since 1970; rules end by it. The names of deleted tables are refused for `deleteTableMs`, which is
   * in milliseconds.
   */
  constructor(store: TableStore, now: () => number = Date.now, deleteTableMs = 0) {
    this.#store = store;
    this.#now = now;
    this.#deleted = deleteTableMs > 0 ? new DeletedTables(deleteTableMs, now, store) : undefined;
    this.isActive = this.#deleted !== undefined;
  }

  /**
   * Adds rules, which apply after those before them. A rule with the id of another takes its place. All are added or none.
   * A value is a rule, or `{ text }` with rules in words. `lasts` is `always` for rules that end with the server.
   *
   * Errors: InvalidRule.
   */
  add(values: readonly unknown[], lasts: 'usual' | 'always' = 'usual'): readonly FaultSummary[] {
    this.#sweep(this.#now());
    const { added, others } = this.#make(values, lasts, this.#rules);
    const ids = new Set(added.map(({ id }) => id));
    this.#ended = this.#ended.filter(({ id }) => !ids.has(id));
    return this.#use([...others, ...added], added);
  }

  /** Adds rules in words that hold as long as the server runs, with seeds made of one. Errors: InvalidRule. */
  addAlways(text: string, seed: number = randomInt(2 ** 32)): void {
    this.add(withSeeds(readRuleTexts(text), seed), 'always');
  }

  /** Puts these rules in the place of all others, or leaves all as they are. Errors: InvalidRule. */
  replace(values: readonly unknown[]): readonly FaultSummary[] {
    const { added } = this.#make(values, 'usual', []);
    this.clear();
    return this.#use(added, added);
  }

  /** Returns all rules, and the last ones that have ended. */
  list(): readonly FaultSummary[] {
    const now = this.#now();
    this.#sweep(now);
    return [...this.#ended, ...this.#rules].map((rule) => rule.summary(now));
  }

  /** Removes a rule, and lets the requests that wait go on. Returns whether it was there. */
  remove(id: string): boolean {
    const found = [...this.#rules, ...this.#ended].filter((rule) => rule.id === id);
    for (const rule of found) rule.remove();
    this.#ended = this.#ended.filter((rule) => rule.id !== id);
    this.#use(this.#rules.filter((rule) => rule.id !== id));
    this.#waits.release();
    return found.length > 0;
  }

  /** Removes all rules, and lets the requests that wait go on. */
  clear(): void {
    for (const rule of this.#rules) rule.remove();
    this.#ended = [];
    this.#use([]);
    this.#waits.release();
  }

  async pass(request: GatedRequest, run: RunOperation): Promise<ServiceAnswer> {
    this.#sweep(this.#now());
    const addressed = once(() => request.addressed());
    const known = { exchange: request.exchange, addressed };
    const deleted = this.#deleted;
    return this.#step(known, this.#rules, undefined, deleted ? (wrap) => deleted.pass(known, () => run(wrap)) : run);
  }

  /** Applies the first of the rules that is for the request; what it runs applies those after it. */
  #step(
    request: GatedRequest,
    rules: readonly ActiveRule[],
    wrap: TableWrap | undefined,
    run: RunOperation,
  ): Promise<ServiceAnswer> {
    for (const [at, rule] of rules.entries()) {
      const place = rule.match(request);
      if (place === undefined) continue;
      return rule.effect(this.#strike(request, rule, place), (own) =>
        this.#step(request, rules.slice(at + 1), own && wrap ? (table) => own(wrap(table)) : (own ?? wrap), run),
      );
    }
    return run(wrap);
  }

  #strike(request: GatedRequest, rule: ActiveRule, place: number): Strike {
    const { exchange } = request;
    return {
      ...request,
      waits: this.#waits,
      store: this.#store,
      random: (draw) => rule.random(place, draw + 1),
      hit: () => {
        if (!rule.hit(this.#now())) return false;
        exchange.fault = exchange.fault === undefined ? rule.id : `${exchange.fault},${rule.id}`;
        return true;
      },
      evidence: (effect) => () => ({ check: 'fault', rule: rule.id, effect }),
    };
  }

  /** Moves the rules that have ended to the others that are only listed. */
  #sweep(now: number): void {
    if (!this.#rules.some((rule) => rule.hasEnded(now))) return;
    this.#ended = [...this.#ended, ...this.#rules.filter((rule) => rule.hasEnded(now))].slice(-rulesMax);
    this.#use(this.#rules.filter((rule) => !rule.hasEnded(now)));
  }

  /** Makes rules that are to stand beside those of `present` whose ids they do not have. Errors: InvalidRule. */
  #make(values: readonly unknown[], lasts: 'usual' | 'always', present: readonly ActiveRule[]) {
    const read = readRules(values).map((one) => (lasts === 'always' ? { ...one, lastsMs: undefined } : one));
    const named = read.flatMap(({ rule }) => rule.id ?? []);
    const twice = named.find((id, at) => named.indexOf(id) !== at);
    if (twice !== undefined) throw new InvalidRule(`Two rules have the id ${twice}.`);
    const others = present.filter(({ id }) => !named.includes(id));
    if (others.length + read.length > rulesMax) throw new InvalidRule(`There can be at most ${rulesMax} rules.`);
    const used = new Set([...named, ...present.map(({ id }) => id)]);
    const now = this.#now();
    const added = read.map((one) => {
      return new ActiveRule(one, one.rule.id ?? this.#freeId(used), one.rule.seed ?? randomInt(2 ** 32), now);
    });
    return { added, others };
  }

  #freeId(used: ReadonlySet<string>): string {
    for (;;) {
      const id = `fault-${++this.#made}`;
      if (!used.has(id)) return id;
    }
  }

  /** Puts rules in the place of all, and returns some with their counts. */
  #use(rules: readonly ActiveRule[], told: readonly ActiveRule[] = []): readonly FaultSummary[] {
    this.#rules = rules;
    this.isActive = rules.length > 0 || this.#deleted !== undefined;
    const now = this.#now();
    return told.map((rule) => rule.summary(now));
  }
}

/** Reads rules, and texts of rules. Errors: InvalidRule. */
function readRules(values: readonly unknown[]): readonly ReadRule[] {
  return values.flatMap((value) => {
    const isText = typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
    return (isText ? readRuleTexts(value.text as string) : [value]).map(readRule);
  });
}

/** Returns a function that computes its value at the first call. */
function once<Value>(compute: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}
