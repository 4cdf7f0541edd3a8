import { binaryBytesMax, int32Max, int32Min, int64Max, int64Min, stringUnitsMax } from '../../protocol/limits.js';
import { readDateTime } from '../../protocol/values/date-time.js';
import type { EdmType } from '../../protocol/values/edm.js';
import { readGuid } from '../../protocol/values/guid.js';

/**
 * The value of a property. `text` has all of its digits, because a JavaScript number would lose some: of an Int64, of a Double
 * such as `1.0`, of a date with seven fraction digits. Binary is in base64.
 */
export interface Value {
  readonly type: EdmType;
  readonly text: string;
}

/** The mark of each type in headers and cells. */
export const typeMarks: Readonly<Record<EdmType, string>> = {
  'Edm.String': 'Str',
  'Edm.Boolean': 'Bool',
  'Edm.Int32': 'I32',
  'Edm.Int64': 'I64',
  'Edm.Double': 'Dbl',
  'Edm.DateTime': 'Date',
  'Edm.Guid': 'Guid',
  'Edm.Binary': 'Bin',
};

/** Longest text of a value in a cell. Unit: UTF-16 code units. (Our choice: longer ones make a grid slow.) */
const cellUnitsMax = 200;

/** The signs of characters that cannot be seen, or that would change the text around them. */
const signs: readonly (readonly [characters: RegExp, sign: string])[] = [
  [/\r\n|[\n\r\u0085\u2028\u2029]/g, '↵'],
  [/\t/g, '→'],
  [/[\u00a0\u202f]/g, '⍽'],
  // Zero width, joiners and marks of direction.
  [/[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '◌'],
  [/[\u0000-\u001f\u007f-\u009f]/g, '␣'],
  [/^ +| {2,}| +$/g, '·'],
];

/** Returns the text of a value in a cell: shortened, with signs for invisible characters, and the size instead of bytes. */
export function shownValue({ type, text }: Value): string {
  if (type === 'Edm.Binary') return `${binaryBytes(text).toLocaleString('en')} bytes`;
  if (text === '') return '(empty)';
  const start = text.slice(0, cellUnitsMax);
  const shown = signs.reduce(
    (seen, [characters, sign]) =>
      seen.replace(characters, (found) => (sign === '·' ? sign.repeat(found.length) : sign)),
    start,
  );
  return text.length > cellUnitsMax ? `${shown}…` : shown;
}

/** Returns the number of bytes that a text in base64 encodes. */
function binaryBytes(text: string): number {
  return Math.floor((text.replace(/=+$/, '').length * 3) / 4);
}

/** Return an error message for an invalid text of the type; otherwise undefined. Source: data-model 3.2; data-model 3.4. */
const faultsOf: Readonly<Record<EdmType, (text: string) => string | undefined>> = {
  'Edm.String': (text) =>
    text.length > stringUnitsMax
      ? `A string has at most ${stringUnitsMax.toLocaleString('en')} characters.`
      : undefined,
  'Edm.Boolean': (text) => (text === 'true' || text === 'false' ? undefined : 'Write true or false.'),
  'Edm.Int32': (text) => integerFault(text, BigInt(int32Min), BigInt(int32Max)),
  'Edm.Int64': (text) => integerFault(text, int64Min, int64Max),
  'Edm.Double': doubleFault,
  'Edm.DateTime': (text) => {
    const reading = readDateTime(text);
    if ('text' in reading) return undefined;
    return reading.fault === 'out-of-range'
      ? 'The year must be at least 1601.'
      : 'Write a date such as 2026-11-21T22:41:03Z.';
  },
  'Edm.Guid': (text) => (readGuid(text) === undefined ? 'Write 32 hexadecimal digits with dashes.' : undefined),
  'Edm.Binary': (text) => {
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return 'Encode the bytes in base64.';
    return binaryBytes(text) > binaryBytesMax ? 'A binary can have at most 64 KiB.' : undefined;
  },
};

/** Returns an error message for an invalid value; undefined if the service accepts it. */
export function faultOf({ type, text }: Value): string | undefined {
  return faultsOf[type](text);
}

function integerFault(text: string, min: bigint, max: bigint): string | undefined {
  if (!/^-?\d{1,20}$/.test(text)) return 'Write an integer.';
  const value = BigInt(text);
  return value < min || value > max ? `The number must be between ${min} and ${max}.` : undefined;
}

/** Most digits that `toPrecision` writes. */
const precisionMax = 100;

function doubleFault(text: string): string | undefined {
  if (isSpecialDouble(text)) return undefined;
  if (!/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) {
    return 'Write a number such as 1.5 or 2e10, or NaN, Infinity, -Infinity.';
  }
  const value = Number(text);
  if (!Number.isFinite(value)) return 'The number is too large for a Double.';
  const digits = digitsOf(text);
  // The shortest form may round a tie down, and toPrecision rounds it up: 868294506694571.25 is shown with .2.
  const forms = [String(value), value.toPrecision(Math.min(Math.max(digits.length, 1), precisionMax))];
  const isKept = forms.some((form) => digitsOf(form) === digits);
  return isKept ? undefined : `A Double cannot hold all of these digits: it would be ${value}.`;
}

/** Returns the digits of a number from its first to its last that is not 0. */
function digitsOf(number: string): string {
  return number.replace(/[eE].*$|[-.]/g, '').replace(/^0+|0+$/g, '');
}

/** Returns whether a Double has no digits. JSON has it as a string. */
export function isSpecialDouble(text: string): boolean {
  return text === 'NaN' || text === 'Infinity' || text === '-Infinity';
}

/** Returns a value as a literal of a `$filter`. Source: query 3. */
export function literalOf({ type, text }: Value): string {
  switch (type) {
    case 'Edm.String':
      return `'${text.replaceAll("'", "''")}'`;
    case 'Edm.Boolean':
    case 'Edm.Int32':
      return text;
    case 'Edm.Int64':
      return `${text}L`;
    case 'Edm.Double':
      return isSpecialDouble(text) ? text.replace('Infinity', 'INF') : `${text}D`;
    case 'Edm.DateTime':
      return `datetime'${text}'`;
    case 'Edm.Guid':
      return `guid'${text}'`;
    case 'Edm.Binary':
      return `X'${hexOf(text)}'`;
  }
}

function hexOf(base64: string): string {
  return Array.from(atob(base64), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}
