import { TableError } from '../../protocol/errors.js';
import { int32Max, int32Min, int64Max, int64Min } from '../../protocol/limits.js';
import { lowerAscii } from '../../protocol/names.js';
import { readDateTime } from '../../protocol/values/date-time.js';
import type { EdmType } from '../../protocol/values/edm.js';
import { readGuid } from '../../protocol/values/guid.js';
import type { Property } from '../stored/entity.js';
import { readJsonString, writeJsonString } from '../stored/json-text.js';
import { canonicalPattern } from '../stored/value-forms.js';
import type { JsonMember } from './read-json.js';

const integer = /^-?\d+$/;
const canonicalString = canonicalPattern('Edm.String');
const canonicalInt32 = canonicalPattern('Edm.Int32');
const canonicalInt64 = canonicalPattern('Edm.Int64');
const canonicalGuid = canonicalPattern('Edm.Guid');
const canonicalDateTime = canonicalPattern('Edm.DateTime');
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const special = /^(?:NaN|-?Infinity|-?INF)$/;

/**
 * Converts one value of a request's JSON to its canonical form; it is neither `null` nor nested. `annotated` is the text of its
 * `@odata.type`, if any.
 *
 * A string of more than `stringUnitsMax` UTF-16 units keeps the sent text, with its exact size: it will be rejected, and encoding
 * megabytes takes long.
 *
 * Errors: InvalidInput if the value does not match the type; OutOfRangeInput for a DateTime before 1601.
 * Source: data-model 3.2; data-model 3.4.
 */
export function readValue(
  member: JsonMember,
  annotated: string | undefined,
  stringUnitsMax = Number.POSITIVE_INFINITY,
): Property {
  if (annotated === undefined) return readPlain(member, stringUnitsMax);
  const read = readers.get(annotated);
  if (read === undefined) throw unreadable(member, annotated);
  return read(member, stringUnitsMax);
}

/** Converts a value without annotation, as `readValue` does. A string is always Edm.String, even if it looks like a date or a Guid. */
function readPlain(member: JsonMember, stringUnitsMax: number): Property {
  const { kind, json } = member;
  if (kind === 'string') return readerOf['Edm.String'](member, stringUnitsMax);
  if (kind === 'boolean') return property(member, 'Edm.Boolean', json, 1);
  if (canonicalInt32.test(json)) return property(member, 'Edm.Int32', json, 4);
  return readerOf[isInt32(json) ? 'Edm.Int32' : 'Edm.Double'](member, stringUnitsMax);
}

function isInt32(text: string): boolean {
  return integer.test(text) && Number(text) >= int32Min && Number(text) <= int32Max;
}

function property({ name }: JsonMember, type: EdmType, json: string, valueBytes: number): Property {
  return { name, type, json, valueBytes };
}

const readerOf: Record<EdmType, (member: JsonMember, stringUnitsMax: number) => Property> = {
  'Edm.String': (member, stringUnitsMax) => {
    const { kind, json } = member;
    if (kind !== 'string') throw unreadable(member, 'Edm.String');
    // The four bytes of the length, without the two quotes.
    if (canonicalString.test(json)) return property(member, 'Edm.String', json, 2 * json.length);
    const text = readJsonString(json);
    const written = text.length > stringUnitsMax ? json : writeJsonString(text);
    return property(member, 'Edm.String', written, 2 * text.length + 4);
  },

  'Edm.Boolean': (member) => {
    const text = member.kind === 'boolean' ? member.json : lowerAscii(textOf(member));
    if (text !== 'true' && text !== 'false') throw unreadable(member, 'Edm.Boolean');
    return property(member, 'Edm.Boolean', text, 1);
  },

  'Edm.Int32': (member) => {
    if (canonicalInt32.test(member.json)) return property(member, 'Edm.Int32', member.json, 4);
    const text = textOf(member).trim();
    if (!isInt32(text)) throw unreadable(member, 'Edm.Int32');
    // -0 is stored as 0.
    return property(member, 'Edm.Int32', String(Number(text) || 0), 4);
  },

  'Edm.Int64': (member) => {
    if (canonicalInt64.test(member.json)) return property(member, 'Edm.Int64', member.json, 8);
    const text = textOf(member).trim();
    if (!integer.test(text) || text.length > 64) throw unreadable(member, 'Edm.Int64');
    // A JSON number must fit into Int32: most clients lose digits of larger ones.
    if (member.kind === 'number' && !isInt32(text)) throw unreadable(member, 'Edm.Int64');
    const value = BigInt(text);
    if (value < int64Min || value > int64Max) throw unreadable(member, 'Edm.Int64');
    return property(member, 'Edm.Int64', `"${value}"`, 8);
  },

  'Edm.Double': (member) => {
    const text = textOf(member).trim();
    // Every number of JSON is one.
    const isNumber = member.kind === 'number' || decimal.test(text);
    if (!isNumber && special.test(text)) {
      return property(member, 'Edm.Double', `"${text.replace(/INF$/, 'Infinity')}"`, 8);
    }
    const value = isNumber ? Number(text) : Number.NaN;
    if (!Number.isFinite(value)) throw unreadable(member, 'Edm.Double');
    return property(member, 'Edm.Double', writeDouble(value), 8);
  },

  'Edm.DateTime': (member) => {
    if (canonicalDateTime.test(member.json)) return property(member, 'Edm.DateTime', member.json, 8);
    const reading = readDateTime(stringOf(member, 'Edm.DateTime'));
    if ('text' in reading) return property(member, 'Edm.DateTime', `"${reading.text}"`, 8);
    if (reading.fault === 'unreadable') throw unreadable(member, 'Edm.DateTime');
    throw new TableError('OutOfRangeInput', {
      variant: { name: 'value-out-of-range', property: member.name, value: reading.printed },
    });
  },

  'Edm.Guid': (member) => {
    if (canonicalGuid.test(member.json)) return property(member, 'Edm.Guid', member.json, 16);
    const guid = readGuid(stringOf(member, 'Edm.Guid'));
    if (guid === undefined) throw unreadable(member, 'Edm.Guid');
    return property(member, 'Edm.Guid', `"${guid}"`, 16);
  },

  'Edm.Binary': (member) => {
    const text = withoutSpace(stringOf(member, 'Edm.Binary'));
    if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw unreadable(member, 'Edm.Binary');
    const bytes = Buffer.from(text, 'base64');
    return property(member, 'Edm.Binary', `"${bytes.toString('base64')}"`, bytes.length + 4);
  },
};

/** A map, because the type name comes from the request: an object lookup would first intern the string. */
const readers: ReadonlyMap<string, (member: JsonMember, stringUnitsMax: number) => Property> = new Map(
  Object.entries(readerOf),
);

const aSpace = /[ \t\r\n]/;

/** Leaves out white space. `replace` would take 200 milliseconds for 4 MiB of it. */
function withoutSpace(text: string): string {
  if (!aSpace.test(text)) return text;
  const bytes = Buffer.from(text, 'utf8');
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d && byte !== 0x0a) bytes[length++] = byte;
  }
  return bytes.toString('utf8', 0, length);
}

function textOf({ kind, json }: JsonMember): string {
  return kind === 'string' ? readJsonString(json) : json;
}

function stringOf(member: JsonMember, type: string): string {
  if (member.kind !== 'string') throw unreadable(member, type);
  return readJsonString(member.json);
}

function unreadable(member: JsonMember, type: string): TableError {
  return new TableError('InvalidInput', {
    variant: { name: 'value-unreadable' },
    evidence: () => ({ check: 'property', property: member.name, type, value: textOf(member) }),
  });
}

/** The character code of `0`. The codes of `-` and `.` are smaller. */
const zero = 48;

/**
 * Returns the text of a finite double as the service prints it. It has 15 significant digits if these parse back to the
 * same double, otherwise 17, never 16. It always has a fraction or an exponent, to distinguish it from an integer.
 * A double exactly halfway between two texts of 17 digits gets the even one, as in the recorded `123456789012345.12`.
 *
 * Source: data-model 3.2.
 */
export function writeDouble(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const shortest = String(value);
  const length = significantDigits(shortest);
  // JavaScript prints the shortest text. With up to 15 digits, it is the form with 15. The maximum is 17 digits.
  // Most doubles end here, ten times as fast as below.
  if (isPlain(value)) {
    if (length !== 16) return shortest.includes('.') ? shortest : `${shortest}.0`;
    if (!isHalfway(value)) return withoutFinalZeros(value.toPrecision(17));
  }
  const digits = length <= 15 ? 15 : 17;
  // Of two equally near texts, JavaScript's shortest form is the even one. With a digit count, it is the larger one.
  const scientific = value.toExponential(length === 17 ? undefined : digits - 1);
  const [mantissa = '', power = '0'] = scientific.split('e');
  const exponent = Number(power);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const rounded = mantissa.replace('-', '').replace('.', '');
  const figures = (length === 16 && isHalfway(value) ? evenOf(rounded) : rounded).replace(/0+$/, '');
  return sign + (exponent <= -5 || exponent >= digits ? withExponent(figures, exponent) : plain(figures, exponent));
}

/** Returns whether both JavaScript and the service write a number of this magnitude without an exponent. */
function isPlain(value: number): boolean {
  const magnitude = Math.abs(value);
  return magnitude >= 1e-4 && magnitude < 1e15;
}

/** Maximum number of binary places of a double with 18 digits that end in 5. The power 5^26 already has 19 digits. */
const halfwayPlacesMax = 25;

/** Maximum number of fraction digits that `toExponential` accepts. */
const fractionDigitsMax = 100;

/** Returns whether a double is exactly halfway between two texts of 17 digits: its 18th digit is 5 and its last. */
function isHalfway(value: number): boolean {
  // Nearly all doubles have more binary places. Scaling by a power of two is exact.
  if (!Number.isInteger(value * 2 ** halfwayPlacesMax)) return false;
  const [mantissa = ''] = value.toExponential(fractionDigitsMax).split('e');
  return /^-?\d\.\d{16}50*$/.test(mantissa);
}

/** Returns digits that were rounded up from halfway, lowered by one if the last digit is odd. */
function evenOf(digits: string): string {
  const last = digits.charCodeAt(digits.length - 1) - zero;
  return last % 2 === 0 ? digits : digits.slice(0, -1) + (last - 1);
}

/** Returns the number of digits in a number's text, from the first nonzero digit to the last. */
function significantDigits(text: string): number {
  const exponentAt = text.indexOf('e');
  let end = exponentAt < 0 ? text.length : exponentAt;
  while (text.charCodeAt(end - 1) === zero) end--;
  let first = 0;
  while (text.charCodeAt(first) <= zero) first++;
  const pointAt = text.indexOf('.', first);
  return end - first - (pointAt < 0 ? 0 : 1);
}

/** Returns a number with a fraction that is not zero, without the zeros at its end. */
function withoutFinalZeros(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === zero) end--;
  return text.slice(0, end);
}

function withExponent(figures: string, exponent: number): string {
  const fraction = figures.length > 1 ? `.${figures.slice(1)}` : '';
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return `${figures[0]}${fraction}E${exponent < 0 ? '-' : '+'}${power}`;
}

function plain(figures: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${figures}`;
  const whole = figures.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${whole}.${figures.slice(exponent + 1) || '0'}`;
}
