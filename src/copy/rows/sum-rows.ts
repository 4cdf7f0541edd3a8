import { lowerAscii } from '../../protocol/names.js';
import { readDateTime } from '../../protocol/values/date-time.js';
import { readGuid } from '../../protocol/values/guid.js';
import { type Row, scanEntity, stringOf, typeSuffix } from './row.js';

/** Two independent hashes of 32 bits. */
export type Lanes = [number, number];

/** The number of rows, and a sum of their hashes that does not depend on their order. */
export interface Sum {
  rows: number;
  lanes: Lanes;
}

/** Returns the sum of no rows. */
export function emptySum(): Sum {
  return { rows: 0, lanes: [0, 0] };
}

/** Adds a row, or another sum; with -1 rows, takes a row out. */
export function addSum(sum: Sum, [one, other]: Readonly<Lanes>, rows = 1): void {
  const sign = Math.sign(rows);
  sum.rows += rows;
  sum.lanes[0] = (sum.lanes[0] + sign * one) >>> 0;
  sum.lanes[1] = (sum.lanes[1] + sign * other) >>> 0;
}

/** Returns a sum as text. */
export function sumText({ rows, lanes }: Sum): string {
  return `${rows}:${lanes.map((lane) => lane.toString(16).padStart(8, '0')).join('')}`;
}

/** Odd factors with bits in all places, one for each hash. (Our choice.) */
const factors: Readonly<Lanes> = [0x9e3779b1, 0x85ebca77];

/**
 * Returns the hash of a row. Two rows have the same one if no client can tell them apart, in any spelling of their values and any order
 * of properties. It finds accidents and does not prevent forgery: a cryptographic one would need the properties in order, as one text.
 */
export function hashRow({ text }: Row): Lanes {
  const [one, other] = factors;
  const row: Lanes = [0, 0];
  const property: Lanes = [0, 0];
  visitProperties(text, (name, value) => {
    property[0] = 0;
    property[1] = 0;
    hashInto(property, name);
    hashInto(property, value);
    row[0] = (row[0] + mixed(property[0])) | 0;
    row[1] = (row[1] + mixed(property[1])) | 0;
  });
  // A sum of rows would not change if two rows exchanged a property.
  return [mixed(row[0] ^ Math.imul(row[1], one)) >>> 0, mixed(row[1] ^ Math.imul(row[0], other)) >>> 0];
}

function hashInto(lanes: Lanes, text: string): void {
  const [first, second] = factors;
  let one = lanes[0] ^ text.length;
  let other = lanes[1] ^ text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Without the shifts, a bit would never depend on those above it.
    one = Math.imul(one ^ unit, first);
    one ^= one >>> 15;
    other = Math.imul(other ^ unit, second);
    other ^= other >>> 15;
  }
  lanes[0] = one;
  lanes[1] = other;
}

/** Spreads each bit over all. */
function mixed(hash: number): number {
  const first = Math.imul(hash ^ (hash >>> 16), factors[1]);
  const second = Math.imul(first ^ (first >>> 13), factors[0]);
  return second ^ (second >>> 16);
}

/** Returns whether two texts are the same entity. */
export function isSameEntity(one: string, other: string): boolean {
  return one === other || canonicalParts(one).join() === canonicalParts(other).join();
}

/** The end of the JSON of a name that gives the type of another. */
const typeEnd = `${typeSuffix}"`;

/** Returns the properties of an entity in their one spelling, sorted. */
export function canonicalParts(text: string): string[] {
  const parts: string[] = [];
  visitProperties(text, (name, value) => parts.push(`${name}:${value}`));
  return parts.sort();
}

/**
 * Visits the properties of an entity in their one spelling: the JSON of a name, and a value with its type. Makes no object for a member:
 * it runs twice for each entity of a copy.
 */
function visitProperties(text: string, visit: (name: string, value: string) => void): void {
  const [names, values]: [string[], string[]] = [[], []];
  let types: Map<string, string> | undefined;
  scanEntity(text, 0, (nameAt, nameEnd, valueAt, valueEnd) => {
    const name = canonicalString(text.slice(nameAt, nameEnd));
    const value = text.slice(valueAt, valueEnd);
    if (name.endsWith(typeEnd)) {
      types ??= new Map();
      types.set(`${name.slice(0, -typeEnd.length)}"`, stringOf(value));
    } else {
      names.push(name);
      values.push(value);
    }
  });
  for (let at = 0; at < names.length; at++) {
    const name = names[at] ?? '';
    visit(name, canonicalValue(values[at] ?? '', types?.get(name)));
  }
}

/** Returns the one JSON of a string. Without escapes, there is no other. */
function canonicalString(json: string): string {
  return json.includes('\\') ? JSON.stringify(stringOf(json)) : json;
}

/** Returns a value in its one spelling: the JSON of a string, or a letter for its type and a value. `type` is its annotation. */
function canonicalValue(json: string, type: string | undefined): string {
  const isString = json.charCodeAt(0) === 0x22;
  if (isString && (type === undefined || type === 'Edm.String')) return canonicalString(json);
  const text = isString ? stringOf(json) : json;
  switch (type ?? impliedType(text)) {
    case 'Edm.Boolean':
      return `b${text}`;
    case 'Edm.Int32':
      return `i${withoutZeros(text)}`;
    case 'Edm.Int64':
      return `l${withoutZeros(text)}`;
    case 'Edm.Double': {
      const number = Number(text.endsWith('F') ? text.replace('INF', 'Infinity') : text);
      return `d${Object.is(number, -0) ? '-0' : number}`;
    }
    case 'Edm.DateTime':
      return `t${canonicalInstant(text)}`;
    case 'Edm.Guid':
      return `g${text.length === 36 ? lowerAscii(text) : (readGuid(text) ?? text)}`;
    case 'Edm.Binary':
      return `x${text}`;
    default:
      return `${type}${JSON.stringify(text)}`;
  }
}

function impliedType(text: string): string {
  if (text === 'true' || text === 'false') return 'Edm.Boolean';
  return /[.eE]/.test(text) ? 'Edm.Double' : 'Edm.Int32';
}

function withoutZeros(text: string): string {
  if (!text.startsWith('0') && !text.startsWith('-0')) return text;
  const digits = text.replace(/^(-?)0+(?=\d)/, '$1');
  return digits === '-0' ? '0' : digits;
}

function canonicalInstant(text: string): string {
  const reading = text.endsWith('Z') ? undefined : readDateTime(text);
  const utc = reading && 'text' in reading ? reading.text : text;
  const whole = utc.replace(/Z$/, '');
  return whole.endsWith('0') && whole.includes('.') ? whole.replace(/\.0*$|(\.\d*?)0+$/, '$1') : whole;
}
