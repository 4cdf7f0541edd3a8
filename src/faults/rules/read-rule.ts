import { readDuration } from '../../duration.js';
import { anything, count, formed, number, optional } from '../../schema.js';
import type { FaultRule } from '../contract.js';
import type { Effect } from '../effects/effect.js';
import { readEffect } from '../effects/fault-kinds.js';
import { readCondition } from './condition.js';
import { checkFields, length } from './invalid-rule.js';

/** A checked rule and its effect. */
export interface ReadRule {
  /** As requested, with the defaults of its kind. */
  readonly rule: FaultRule;
  readonly effect: Effect;
  /** How long it lasts. Unit: milliseconds. Undefined: until it has acted `times` times. */
  readonly lastsMs: number | undefined;
}

/** Duration of a rule without `times` and `for`. Unit: milliseconds. */
const usualMs = 60_000;

const ruleFields = {
  id: optional(formed('id', /^[\w.-]{1,64}$/, { wanted: '1 to 64 letters, digits, dots, dashes and underscores' })),
  when: optional(anything('conditions')),
  fault: optional(anything('fault')),
  probability: optional(number('share of the requests that get the fault', 0, 1)),
  seed: optional(count('seed', 0, 2 ** 32 - 1)),
  after: optional(count('requests before the first fault')),
  times: optional(count('requests that get the fault', 1)),
  for: optional(length),
};

/** Reads a rule. Errors: InvalidRule. */
export function readRule(value: unknown): ReadRule {
  const { fault: input, when, ...others } = checkFields(ruleFields, value);
  const { fault, effect } = readEffect(input);
  const lasts = others.for === undefined ? undefined : readDuration(others.for);
  return {
    rule: { ...others, ...(when !== undefined && { when: readCondition(when, 'when') }), fault },
    effect,
    lastsMs: lasts ?? (others.times === undefined ? usualMs : undefined),
  };
}
