import { ActiveRule } from './active-rule.js';
import { addition, type Lasting, removal, replacement } from './change-rules.js';
import type { FaultSummary } from './contract.js';
import { InvalidRule } from './read-value.js';
import type { DecideChange, KeptRule, RuleKeeper } from './rule-keeper.js';

/** The rules of one keeper, ready to be applied. */
export class RuleSet {
  readonly #keeper: RuleKeeper;
  readonly #prefix: string;
  #known: ReadonlySet<number> = new Set();
  #rules: readonly ActiveRule[] = [];

  /** Rules without an id get one that begins with `prefix`. `onChange` is called after a change, also with rules that are gone. */
  constructor(keeper: RuleKeeper, prefix: string, onChange: (isAnyGone: boolean) => void) {
    this.#keeper = keeper;
    this.#prefix = prefix;
    keeper.follow(() => onChange(this.#use(keeper.rules)));
  }

  /** Whether a request must be tested. */
  get isActive(): boolean {
    return this.#rules.length > 0 || this.#keeper.isBehind;
  }

  /** Returns the rules that may act on a request that came before the call. Errors: StoreUnavailable. */
  async current(): Promise<readonly ActiveRule[]> {
    if (this.#keeper.isBehind) await this.#keeper.catchUp();
    return this.#rules;
  }

  /** Forgets the rules that are known to have ended. Returns whether there were any. */
  sweep(now: number): boolean {
    const left = this.#rules.filter((rule) => !rule.hasEnded(now));
    const isAny = left.length < this.#rules.length;
    if (isAny) this.#rules = left;
    return isAny;
  }

  /** Adds rules, which apply after those before them. Errors: InvalidRule; StoreUnavailable. */
  add(values: readonly unknown[], lasts: Lasting = 'usual'): Promise<readonly FaultSummary[]> {
    return this.#change(addition(values, lasts, this.#prefix));
  }

  /** Puts rules in the place of all others. Errors: InvalidRule; StoreUnavailable. */
  replace(values: readonly unknown[]): Promise<readonly FaultSummary[]> {
    return this.#change(replacement(values, this.#prefix));
  }

  /** Removes the rule with this id, or all. Returns whether there was one. Errors: StoreUnavailable. */
  async remove(id?: string): Promise<boolean> {
    let isFound = false;
    await this.#change((present) => {
      const change = removal(id)(present);
      isFound = change.removed.length > 0;
      return change;
    });
    return isFound;
  }

  /** Returns all rules, and the last ones that have ended. Errors: StoreUnavailable. */
  async list(): Promise<readonly FaultSummary[]> {
    return (await this.#keeper.list()).map(summaryOf);
  }

  async #change(decide: DecideChange): Promise<readonly FaultSummary[]> {
    return (await this.#keeper.change(decide)).map(summaryOf);
  }

  /** Applies these rules from now on. Those that were there go on with what they remember. Returns whether others are gone. */
  #use(kept: readonly KeptRule[]): boolean {
    const before = new Map(this.#rules.map((rule) => [rule.number, rule]));
    const known = new Set(kept.map(({ number }) => number));
    const isAnyGone = [...this.#known].some((number) => !known.has(number));
    this.#known = known;
    this.#rules = kept
      .filter(({ ended }) => !ended)
      .flatMap((one) => before.get(one.number) ?? activeRules(one, this.#keeper));
    return isAnyGone;
  }
}

/** Returns a rule as it is applied; none for a rule of a newer version that shares the database. */
function activeRules(kept: KeptRule, keeper: RuleKeeper): readonly ActiveRule[] {
  try {
    return [new ActiveRule(kept, keeper)];
  } catch (error) {
    if (error instanceof InvalidRule) return [];
    throw error;
  }
}

function summaryOf({ id, rule, seed, matched, hits, endsAt, ended }: KeptRule): FaultSummary {
  const ends = endsAt !== undefined && { ends: new Date(endsAt).toISOString() };
  return { ...rule, id, seed, matched, hits, ...ends, ended };
}
