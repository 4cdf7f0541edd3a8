import { readDuration } from '../../duration.js';
import { checked, type Fields, faultOfFields, type ObjectOf } from '../../schema.js';

/** A rule is invalid, so nothing was changed. The message names the field and its valid values. */
export class InvalidRule extends Error {
  override readonly name = 'InvalidRule';
}

/** Maximum number of active rules, and of ended ones in the list. (Our choice: every request tests each active rule.) */
export const rulesMax = 100;

/** Checks the number of rules. Errors: InvalidRule. */
export function checkCount(count: number): void {
  if (count > rulesMax) throw new InvalidRule(`At most ${rulesMax} rules are allowed.`);
}

/** Checks an object and returns its defined fields. `place` names it in messages; '' for the rule itself. Errors: InvalidRule. */
export function checkFields<Of extends Fields>(fields: Of, value: unknown, place = ''): ObjectOf<Of> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidRule(`${place || 'The rule'} must be an object with any of: ${Object.keys(fields).join(', ')}.`);
  }
  const fault = faultOfFields(fields, value, (field) => (place === '' ? field : `${place}.${field}`));
  if (fault !== undefined) throw new InvalidRule(fault);
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as ObjectOf<Of>;
}

/** A positive length of time. */
export const length = checked('length of time', (text) => (readDuration(text) ?? 0) > 0, {
  wanted: 'a length of time, such as 500ms, 60s, 5m or 1h',
});
