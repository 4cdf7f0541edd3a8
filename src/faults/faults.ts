import { isOfExplorer } from '../protocol/header-fields.js';
import type { GatedRequest, OperationGate, RunOperation, TableWrap } from '../service/gate.js';
import type { Done } from '../service/run.js';
import type { TableStore } from '../store/store.js';
import { readAddressed } from './addressed-entities.js';
import type { FaultSummary } from './contract.js';
import { DeletedTables } from './deleted-tables.js';
import type { RuledRequest, Strike } from './effects/effect.js';
import { Waits } from './effects/waits.js';
import type { ActiveRule } from './rules/active-rule.js';
import { withSeeds } from './rules/profiles.js';
import { readRuleTexts } from './rules/read-rule-text.js';
import { RuleSet } from './rules/rule-set.js';

/** The store that faults act on, and their settings. */
export interface FaultsOptions {
  readonly store: TableStore;
  /** How long the names of deleted tables are rejected. Unit: milliseconds. Default: 0. */
  readonly deleteTableMs?: number;
}

/** The fault rules of a server. Servers on the same database do not share them. */
export class Faults implements OperationGate {
  /** A field, not a getter, because every request reads it. */
  isActive = false;
  readonly #store: TableStore;
  readonly #deleted: DeletedTables | undefined;
  readonly #waits = new Waits();
  readonly #rules = new RuleSet(() => this.#waits.release());
  #isClosed = false;

  constructor({ store, deleteTableMs = 0 }: FaultsOptions) {
    this.#store = store;
    this.#deleted = deleteTableMs > 0 ? new DeletedTables(deleteTableMs, Date.now, store) : undefined;
    this.#note();
  }

  /**
   * Adds all rules or none, after the existing ones. A rule replaces one with the same id. A value is a rule, or `{ text }` with
   * rules in words. Errors: InvalidRule.
   */
  add(values: readonly unknown[]): readonly FaultSummary[] {
    const added = this.#rules.add(values);
    this.#note();
    return added;
  }

  /** Adds rules in words for the lifetime of the server, with seeds derived from one. Errors: InvalidRule. */
  addAlways(text: string, seed: number): void {
    this.#rules.add(withSeeds(readRuleTexts(text), seed), 'always');
    this.#note();
  }

  /** Replaces all rules, or changes nothing. Errors: InvalidRule. */
  replace(values: readonly unknown[]): readonly FaultSummary[] {
    const added = this.#rules.replace(values);
    this.#note();
    return added;
  }

  /** Returns all rules, including those that ended last. */
  list(): readonly FaultSummary[] {
    return this.#rules.list();
  }

  /** Removes a rule and releases delayed requests. Returns whether it existed. */
  remove(id: string): boolean {
    const isFound = this.#rules.remove(id);
    this.#note();
    return isFound;
  }

  /** Removes all rules and releases delayed requests. */
  clear(): void {
    this.#rules.remove();
    this.#note();
  }

  /** Stops applying rules and releases delayed requests. */
  close(): void {
    this.#isClosed = true;
    this.#note();
    this.#waits.close();
  }

  async pass(request: GatedRequest, run: RunOperation): Promise<Done> {
    this.#rules.sweep(performance.now());
    this.#note();
    const { service, loaded, marks } = request;
    const { authenticated, row } = loaded.routed;
    const { received, addressed: place } = authenticated;
    const rules = isOfExplorer(received.headers) ? [] : this.#rules.active;
    const known: RuledRequest = {
      ...{ service, loaded, marks, received },
      account: place.address.account,
      operation: row.operation.name,
      addressed: once(() => readAddressed(service, loaded)),
    };
    const deleted = this.#deleted;
    return this.#step(known, rules, undefined, deleted ? (wrap) => deleted.pass(known, () => run(wrap)) : run);
  }

  /** Applies the first matching rule, whose `run` applies the later ones. */
  async #step(
    request: RuledRequest,
    rules: readonly ActiveRule[],
    wrap: TableWrap | undefined,
    run: RunOperation,
  ): Promise<Done> {
    for (const [at, rule] of rules.entries()) {
      const position = rule.match(request);
      if (position === undefined) continue;
      return rule.effect(this.#strike(request, rule, position), (own) =>
        this.#step(request, rules.slice(at + 1), own && wrap ? (table) => own(wrap(table)) : (own ?? wrap), run),
      );
    }
    return run(wrap);
  }

  #strike(request: RuledRequest, rule: ActiveRule, position: number): Strike {
    const { marks } = request;
    return {
      ...request,
      waits: this.#waits,
      store: this.#store,
      random: (draw) => rule.random(position, draw + 1),
      hit: () => {
        if (this.#isClosed || !rule.hit()) return false;
        marks.rules = marks.rules === undefined ? rule.id : `${marks.rules},${rule.id}`;
        return true;
      },
      evidence: (effect) => () => ({ check: 'fault', rule: rule.id, effect }),
    };
  }

  /** Notes whether requests must pass the gate. */
  #note(): void {
    const isAny = this.#deleted !== undefined || this.#rules.active.length > 0;
    this.isActive = isAny && !this.#isClosed;
  }
}

/** Returns a function that computes its value on the first call. */
function once<Value>(compute: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}
