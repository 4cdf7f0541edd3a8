import { readDuration } from '../../duration.js';
import type { FaultRule } from '../contract.js';
import type { Effect } from '../effects/effect.js';
import { readEffect } from '../effects/fault-kinds.js';
import { readCondition } from './condition.js';
import { duration, InvalidRule, number, readObject, type ValueReader, wholeNumber } from './read-value.js';

/** A rule that was checked, with what it does. */
export interface ReadRule {
  /** As it was asked for, with the defaults of its kind. */
  readonly rule: FaultRule;
  readonly effect: Effect;
  /** How long it lasts. Unit: milliseconds. Undefined: until it has acted `times` times. */
  readonly lastsMs: number | undefined;
}

/** How long a rule lasts that names neither a number of requests nor a time. Unit: milliseconds. */
const usualMs = 60_000;

const readId: ValueReader<string> = (value, path) => {
  if (typeof value === 'string' && /^[\w.-]{1,64}$/.test(value)) return value;
  throw new InvalidRule(`${path} must have 1 to 64 letters, digits, dots, dashes and underscores.`);
};

/** Reads a rule. Errors: InvalidRule with the name of the field and what it can be. */
export function readRule(value: unknown): ReadRule {
  const {
    fault: read,
    when,
    ...others
  } = readObject(value, 'The rule', {
    id: readId,
    when: readCondition,
    fault: readEffect,
    probability: number(0, 1),
    seed: wholeNumber(0, 2 ** 32 - 1),
    after: wholeNumber(0),
    times: wholeNumber(1),
    for: duration,
  });
  const { fault, effect } = read ?? readEffect(undefined);
  const lasts = others.for === undefined ? undefined : readDuration(others.for);
  return {
    rule: { ...others, ...(when && { when }), fault },
    effect,
    lastsMs: lasts ?? (others.times === undefined ? usualMs : undefined),
  };
}
