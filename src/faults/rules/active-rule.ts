import type { FaultSummary } from '../contract.js';
import type { Effect, RuledRequest } from '../effects/effect.js';
import { type ConditionTest, compileCondition } from './condition.js';
import type { NewRule } from './new-rules.js';
import { readRule } from './read-rule.js';
import { seededRandom } from './seeded-random.js';

/** Random numbers per request: the first decides whether the rule acts, the others are for the effect. */
const drawsPerRequest = 4;

/** A rule of a server, with its counts. */
export class ActiveRule {
  readonly id: string;
  readonly effect: Effect;
  readonly #rule: NewRule;
  readonly #test: ConditionTest;
  /** In milliseconds of `performance.now()`, because the system clock can jump. */
  readonly #endsAt: number;
  /** The same as UTC text; undefined if the rule does not end by time. */
  readonly #ends: string | undefined;
  #matched = 0;
  #hits = 0;

  constructor(rule: NewRule) {
    const { id, lastsMs } = rule;
    this.id = id;
    this.effect = readRule(rule.rule).effect;
    this.#rule = rule;
    this.#test = compileCondition(rule.rule.when ?? {}, id);
    this.#endsAt = performance.now() + (lastsMs ?? Number.POSITIVE_INFINITY);
    this.#ends = lastsMs === undefined ? undefined : new Date(Date.now() + lastsMs).toISOString();
  }

  /** Whether the rule no longer acts. `now` is in milliseconds of `performance.now()`. */
  hasEnded(now = performance.now()): boolean {
    return now >= this.#endsAt || this.#hits >= (this.#rule.rule.times ?? Number.POSITIVE_INFINITY);
  }

  /** Tests and counts a request. Returns its position among the matching ones if the rule acts on it. */
  match(request: RuledRequest): number | undefined {
    const { after = 0, probability = 1 } = this.#rule.rule;
    if (!this.#test(request) || this.hasEnded()) return undefined;
    const position = this.#matched++;
    if (position < after) return undefined;
    return probability === 1 || this.random(position, 0) < probability ? position : undefined;
  }

  /** Returns a random number for the request at a position; draw 0 decides whether the rule acts. */
  random(position: number, draw: number): number {
    return seededRandom(this.#rule.seed, position * drawsPerRequest + draw);
  }

  /** Counts a fault. Returns false if the rule has since ended. */
  hit(): boolean {
    if (this.hasEnded()) return false;
    this.#hits++;
    return true;
  }

  summary(): FaultSummary {
    const { id, rule, seed } = this.#rule;
    const ends = this.#ends !== undefined && { ends: this.#ends };
    return { ...rule, id, seed, matched: this.#matched, hits: this.#hits, ...ends, ended: this.hasEnded() };
  }
}
