import type { EdmType } from '../../protocol/values/edm.js';
import type { Value } from './value.js';

/** Compares two values for a sort. Empty ones and missing ones are the last, in both directions. */
export function compareValues(a: Value | undefined, b: Value | undefined, isDown = false): number {
  const byPresence = emptiness(a) - emptiness(b);
  if (byPresence !== 0 || !a?.text || !b?.text) return byPresence;
  const [groupOfA, groupOfB] = [groupOf(a.type), groupOf(b.type)];
  const order = groupOfA === groupOfB ? compare(sortKey(a), sortKey(b)) : compare(groupOfA, groupOfB);
  return isDown ? 0 - order : order;
}

function emptiness(value: Value | undefined): number {
  return value === undefined ? 2 : value.text === '' ? 1 : 0;
}

/** Numbers of all types are one group. */
function groupOf(type: EdmType): string {
  return type === 'Edm.Int32' || type === 'Edm.Int64' || type === 'Edm.Double' ? '' : type;
}

/** Returns a number with all of its digits, or a text. A date is compared without its Z, so that it is before its fractions. */
function sortKey({ type, text }: Value): bigint | number | string {
  if (groupOf(type) === '') return /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
  return type === 'Edm.DateTime' ? text.replace(/Z$/, '') : text;
}

/** JavaScript compares a bigint with a number exactly. NaN is after all numbers. */
function compare(a: bigint | number | string, b: bigint | number | string): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

/** Returns whether a text is a part of a value that a cell shows as text, in any case. `part` is in lower case. */
export function hasText({ type, text }: Value, part: string): boolean {
  return type !== 'Edm.Binary' && text.toLowerCase().includes(part);
}
