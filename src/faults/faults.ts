import type { GatedRequest, OperationGate, RunOperation, TableWrap } from '../http/operation-gate.js';
import type { ServiceAnswer } from '../http/service-answer.js';
import type { TableStore } from '../store/store.js';
import type { ActiveRule } from './active-rule.js';
import type { FaultSummary } from './contract.js';
import { DeletedTables } from './deleted-tables.js';
import type { Strike } from './effect.js';
import { ProcessRules } from './process-rules.js';
import { withSeeds } from './profiles.js';
import { readRuleTexts } from './read-rule-text.js';
import type { RuleKeeper } from './rule-keeper.js';
import { RuleSet } from './rule-set.js';
import { Waits } from './waits.js';

/** What the faults of a server need. */
export interface FaultsOptions {
  readonly store: TableStore;
  /** Keeps the rules that clients set for all servers on one database. Absent: this server keeps them. */
  readonly shared?: RuleKeeper | undefined;
  /** How long the names of deleted tables are refused. Unit: milliseconds. Default: not at all. */
  readonly deleteTableMs?: number;
}

/** The fault rules of a server: its own, and those that it shares with the other servers on its database. */
export class Faults implements OperationGate {
  /** Is a field, because every request of the service reads it. */
  isActive = false;
  readonly #store: TableStore;
  readonly #deleted: DeletedTables | undefined;
  readonly #waits = new Waits();
  readonly #own: RuleSet;
  /** The rules that clients set: those of the database, or of this server. */
  readonly #set: RuleSet;
  /** Both, in the order in which they are applied. */
  readonly #sets: readonly RuleSet[];
  #isClosed = false;

  constructor({ store, shared, deleteTableMs = 0 }: FaultsOptions) {
    this.#store = store;
    this.#deleted = deleteTableMs > 0 ? new DeletedTables(deleteTableMs, Date.now, store) : undefined;
    const onChange = (isAnyGone: boolean) => {
      this.#note();
      if (isAnyGone) this.#waits.release();
    };
    this.#own = new RuleSet(new ProcessRules(), shared ? 'own' : 'fault', onChange);
    this.#set = shared ? new RuleSet(shared, 'fault', onChange) : this.#own;
    this.#sets = shared ? [this.#own, this.#set] : [this.#own];
    this.#note();
  }

  /**
   * Adds rules, which apply after those before them. A rule with the id of another takes its place. All are added or none.
   * A value is a rule, or `{ text }` with rules in words.
   *
   * Errors: InvalidRule; StoreUnavailable.
   */
  async add(values: readonly unknown[]): Promise<readonly FaultSummary[]> {
    const added = await this.#set.add(values);
    if (this.#set !== this.#own) for (const { id } of added) await this.#own.remove(id);
    return added;
  }

  /** Adds rules in words that hold as long as the server runs, with seeds made of one. Errors: InvalidRule. */
  async addAlways(text: string, seed: number): Promise<void> {
    await this.#own.add(withSeeds(readRuleTexts(text), seed), 'always');
  }

  /** Puts these rules in the place of all others, or leaves all as they are. Errors: InvalidRule; StoreUnavailable. */
  async replace(values: readonly unknown[]): Promise<readonly FaultSummary[]> {
    const added = await this.#set.replace(values);
    if (this.#set !== this.#own) await this.#own.remove();
    return added;
  }

  /** Returns all rules, and the last ones that have ended. Errors: StoreUnavailable. */
  async list(): Promise<readonly FaultSummary[]> {
    return (await Promise.all(this.#sets.map((set) => set.list()))).flat();
  }

  /** Removes a rule, and lets the requests that wait go on. Returns whether it was there. Errors: StoreUnavailable. */
  async remove(id: string): Promise<boolean> {
    return (await Promise.all(this.#sets.map((set) => set.remove(id)))).includes(true);
  }

  /** Removes all rules, and lets the requests that wait go on. Errors: StoreUnavailable. */
  async clear(): Promise<void> {
    await Promise.all(this.#sets.map((set) => set.remove()));
  }

  /** Applies no rule any more, and lets the requests that wait go on. Rules in a database stay for the other servers. */
  close(): void {
    this.#isClosed = true;
    this.#note();
    this.#waits.close();
  }

  async pass(request: GatedRequest, run: RunOperation): Promise<ServiceAnswer> {
    const now = performance.now();
    if (this.#sets.map((set) => set.sweep(now)).includes(true)) this.#note();
    const rules = (await Promise.all(this.#sets.map((set) => set.current()))).flat();
    const addressed = once(() => request.addressed());
    const known = { exchange: request.exchange, addressed };
    const deleted = this.#deleted;
    return this.#step(known, rules, undefined, deleted ? (wrap) => deleted.pass(known, () => run(wrap)) : run);
  }

  /** Applies the first of the rules that is for the request; what it runs applies those after it. */
  async #step(
    request: GatedRequest,
    rules: readonly ActiveRule[],
    wrap: TableWrap | undefined,
    run: RunOperation,
  ): Promise<ServiceAnswer> {
    for (const [at, rule] of rules.entries()) {
      const place = await rule.match(request);
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
      hit: async () => {
        if (this.#isClosed || !(await rule.hit())) return false;
        exchange.fault = exchange.fault === undefined ? rule.id : `${exchange.fault},${rule.id}`;
        return true;
      },
      evidence: (effect) => () => ({ check: 'fault', rule: rule.id, effect }),
    };
  }

  /** Notes whether requests must pass the gate. */
  #note(): void {
    const isAny = this.#deleted !== undefined || this.#sets.some((set) => set.isActive);
    this.isActive = isAny && !this.#isClosed;
  }
}

/** Returns a function that computes its value at the first call. */
function once<Value>(compute: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}
