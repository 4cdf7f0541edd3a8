import { readDuration } from '../../duration.js';
import { checked, type Fields, faultOfFields, type ObjectOf } from '../../schema.js';

/** A rule that cannot be used. The message names the field and says what it can be. Nothing was changed. */
export class InvalidRule extends Error {
  override readonly name = 'InvalidRule';
}

/** How many rules there are at most, and how many are listed after they have ended. (Our choice: each costs every request.) */
export const rulesMax = 100;

/** Checks how many rules there are. Errors: InvalidRule. */
export function checkCount(count: number): void {
  if (count > rulesMax) throw new InvalidRule(`At most ${rulesMax} rules are allowed.`);
}

/** Returns the fields of an object that are not undefined. `place` is its name in messages; '' for the rule itself. Errors: InvalidRule. */
export function checkFields<Of extends Fields>(fields: Of, value: unknown, place = ''): ObjectOf<Of> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidRule(`${place || 'The rule'} must be an object with any of: ${Object.keys(fields).join(', ')}.`);
  }
  const fault = faultOfFields(fields, value, (field) => (place === '' ? field : `${place}.${field}`));
  if (fault !== undefined) throw new InvalidRule(fault);
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as ObjectOf<Of>;
}

/** A length of time that is more than nothing. */
export const length = checked('length of time', (text) => (readDuration(text) ?? 0) > 0, {
  wanted: 'a length of time, such as 500ms, 60s, 5m or 1h',
});
