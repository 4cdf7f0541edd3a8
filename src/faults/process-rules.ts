import type { Counted } from '../store/shared-rules.js';
import type { DecideChange, KeptRule, NewRule, RuleKeeper } from './rule-keeper.js';

/** A rule with its counts, which change. */
interface CountedRule extends Omit<NewRule, 'lastsMs'> {
  readonly number: number;
  readonly endsAt: number | undefined;
  readonly counts: { match: number; hit: number };
}

/** Fault rules in the memory of a server. They end with it. */
export class ProcessRules implements RuleKeeper {
  /** No other server changes them. */
  readonly isBehind = false;
  #kept: readonly CountedRule[] = [];
  #made = 0;
  #listener = () => {};

  get rules(): readonly KeptRule[] {
    return this.#kept.map(keptRule);
  }

  follow(listener: () => void): void {
    this.#listener = listener;
  }

  async catchUp(): Promise<void> {}

  async list(): Promise<readonly KeptRule[]> {
    return this.rules;
  }

  async change(decide: DecideChange): Promise<readonly KeptRule[]> {
    const { removed, added } = decide(this.rules);
    const now = Date.now();
    const made = added.map(({ lastsMs, ...rule }) => ({
      ...rule,
      number: ++this.#made,
      endsAt: lastsMs === undefined ? undefined : now + lastsMs,
      counts: { match: 0, hit: 0 },
    }));
    this.#kept = [...this.#kept.filter(({ number }) => !removed.includes(number)), ...made];
    this.#listener();
    return made.map(keptRule);
  }

  count(number: number, what: Counted): number | undefined {
    const found = this.#kept.find((one) => one.number === number);
    return !found || hasEnded(found) ? undefined : found.counts[what]++;
  }
}

function hasEnded({ endsAt = Number.POSITIVE_INFINITY, rule, counts }: CountedRule): boolean {
  return Date.now() >= endsAt || counts.hit >= (rule.times ?? Number.POSITIVE_INFINITY);
}

function keptRule(one: CountedRule): KeptRule {
  const { counts, ...rule } = one;
  const { endsAt = Number.POSITIVE_INFINITY } = one;
  return { ...rule, matched: counts.match, hits: counts.hit, remainingMs: endsAt - Date.now(), ended: hasEnded(one) };
}
