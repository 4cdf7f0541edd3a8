import type { GatedRequest } from '../http/operation-gate.js';
import type { Counted } from '../store/shared-rules.js';
import { type ConditionTest, compileCondition } from './condition.js';
import type { Effect } from './effect.js';
import { readRule } from './read-rule.js';
import type { KeptRule, RuleKeeper } from './rule-keeper.js';
import { seededRandom } from './seeded-random.js';

/** How many numbers of the sequence belong to one request: one decides, the others are for the effect. */
const drawsPerRequest = 4;

/** A rule as a server applies it. Its keeper counts. */
export class ActiveRule {
  readonly id: string;
  readonly number: number;
  readonly effect: Effect;
  readonly #kept: KeptRule;
  readonly #test: ConditionTest;
  readonly #keeper: Pick<RuleKeeper, 'count'>;
  /** In milliseconds of `performance.now()`: clocks of servers may differ, and jump. */
  readonly #endsAt: number;
  #hasEnded: boolean;

  /** Errors: InvalidRule for a rule that this version does not know. */
  constructor(kept: KeptRule, keeper: Pick<RuleKeeper, 'count'>) {
    const { id, number, rule, remainingMs, ended } = kept;
    this.id = id;
    this.number = number;
    this.effect = readRule(rule).effect;
    this.#kept = kept;
    this.#keeper = keeper;
    this.#test = compileCondition(rule.when ?? {}, id);
    this.#endsAt = performance.now() + remainingMs;
    this.#hasEnded = ended;
  }

  /** Whether the rule is known to act on no further request. Its keeper may know more. */
  hasEnded(now: number): boolean {
    return this.#hasEnded || now >= this.#endsAt;
  }

  /** Tests a request and counts it. Returns its place among the matching ones if the rule is to act on it. */
  async match(request: GatedRequest): Promise<number | undefined> {
    const { after = 0, probability = 1 } = this.#kept.rule;
    if (!this.#test(request)) return undefined;
    const place = await this.#count('match');
    if (place === undefined || place < after) return undefined;
    return probability === 1 || this.random(place, 0) < probability ? place : undefined;
  }

  /** Returns a number of the rule's sequence for a request at a place; draw 0 decides whether the rule acts. */
  random(place: number, draw: number): number {
    return seededRandom(this.#kept.seed, place * drawsPerRequest + draw);
  }

  /** Counts a request that gets the fault. Returns false if the rule has ended meanwhile. */
  async hit(): Promise<boolean> {
    const before = await this.#count('hit');
    if (before === undefined) return false;
    this.#hasEnded ||= before + 1 >= (this.#kept.rule.times ?? Number.POSITIVE_INFINITY);
    return true;
  }

  async #count(what: Counted): Promise<number | undefined> {
    const before = await this.#keeper.count(this.number, what);
    this.#hasEnded ||= before === undefined;
    return before;
  }
}
