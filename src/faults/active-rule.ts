import type { GatedRequest } from '../http/operation-gate.js';
import type { ConditionTest } from './condition.js';
import { compileCondition } from './condition.js';
import type { FaultSummary } from './contract.js';
import type { Effect } from './effect.js';
import type { ReadRule } from './read-rule.js';
import { seededRandom } from './seeded-random.js';

/** How many numbers of the sequence belong to one request: one decides, the others are for the effect. */
const drawsPerRequest = 4;

/** A rule of a server, with its counts. */
export class ActiveRule {
  readonly id: string;
  readonly effect: Effect;
  readonly #rule: ReadRule['rule'];
  readonly #test: ConditionTest;
  readonly #seed: number;
  readonly #endsAt: number;
  #matched = 0;
  #hits = 0;
  #isRemoved = false;

  /** `now` is in milliseconds since 1970. */
  constructor({ rule, effect, lastsMs }: ReadRule, id: string, seed: number, now: number) {
    this.id = id;
    this.effect = effect;
    this.#rule = rule;
    this.#seed = seed;
    this.#test = compileCondition(rule.when ?? {}, id);
    this.#endsAt = lastsMs === undefined ? Number.POSITIVE_INFINITY : now + lastsMs;
  }

  /** Whether the rule acts on no further request. */
  hasEnded(now: number): boolean {
    return this.#isRemoved || now >= this.#endsAt || this.#hits >= (this.#rule.times ?? Number.POSITIVE_INFINITY);
  }

  /** Ends the rule. */
  remove(): void {
    this.#isRemoved = true;
  }

  /** Tests a request and counts it. Returns its place among the matching ones if the rule is to act on it. */
  match(request: GatedRequest): number | undefined {
    const { after = 0, probability = 1 } = this.#rule;
    if (!this.#test(request)) return undefined;
    const place = this.#matched++;
    if (place < after) return undefined;
    return probability === 1 || this.random(place, 0) < probability ? place : undefined;
  }

  /** Returns a number of the rule's sequence for a request at a place; draw 0 decides whether the rule acts. */
  random(place: number, draw: number): number {
    return seededRandom(this.#seed, place * drawsPerRequest + draw);
  }

  /** Counts a request that gets the fault. Returns false if the rule has ended meanwhile. */
  hit(now: number): boolean {
    if (this.hasEnded(now)) return false;
    this.#hits++;
    return true;
  }

  /** Returns the rule with its counts. */
  summary(now: number): FaultSummary {
    return {
      ...this.#rule,
      id: this.id,
      seed: this.#seed,
      matched: this.#matched,
      hits: this.#hits,
      ...(Number.isFinite(this.#endsAt) && { ends: new Date(this.#endsAt).toISOString() }),
      ended: this.hasEnded(now),
    };
  }
}
