import { hash } from 'node:crypto';
import { lowerAscii } from '../../protocol/names.js';
import { readDateTime } from '../../protocol/values/date-time.js';
import { readGuid } from '../../protocol/values/guid.js';
import { type Row, scanEntity, stringOf, typeSuffix } from './row.js';

/** Four lanes of 32 bits. */
export type Lanes = [number, number, number, number];

/** The number of rows, and a sum of their hashes that does not depend on their order. */
export interface Sum {
  rows: number;
  lanes: Lanes;
}

/** Returns the sum of no rows. */
export function emptySum(): Sum {
  return { rows: 0, lanes: [0, 0, 0, 0] };
}

/** Adds a row, or another sum; with -1 rows, takes a row out. */
export function addSum(sum: Sum, lanes: Readonly<Lanes>, rows = 1): void {
  sum.rows += rows;
  const sign = Math.sign(rows);
  for (let at = 0; at < 4; at++) sum.lanes[at] = ((sum.lanes[at] ?? 0) + sign * (lanes[at] ?? 0)) >>> 0;
}

/** Returns a sum as text. */
export function sumText({ rows, lanes }: Sum): string {
  return `${rows}:${lanes.map((lane) => lane.toString(16).padStart(8, '0')).join('')}`;
}

/** Returns the hash of a row. Two rows have the same one if no client can tell them apart, in any spelling of their values. */
export function hashRow({ text }: Row): Lanes {
  const bytes = hash('sha256', canonicalParts(text).join(), 'buffer');
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8), bytes.readUInt32LE(12)];
}

/** Returns whether two texts are the same entity. */
export function isSameEntity(one: string, other: string): boolean {
  return one === other || canonicalParts(one).join() === canonicalParts(other).join();
}

/** The end of the JSON of a name that gives the type of another. */
const typeEnd = `${typeSuffix}"`;

/**
 * Returns the properties of an entity in their one spelling, each as JSON with its type, sorted. Makes no object for a member: it runs
 * twice for each entity of a copy.
 */
export function canonicalParts(text: string): string[] {
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
  return names.map((name, at) => `${name}:${canonicalValue(values[at] ?? '', types?.get(name))}`).sort();
}

/** Returns the one JSON of a string. Without escapes, there is no other. */
function canonicalString(json: string): string {
  return json.includes('\\') ? JSON.stringify(stringOf(json)) : json;
}

/** Returns a value in its one spelling, after a letter for its type. `type` is its annotation. */
function canonicalValue(json: string, type: string | undefined): string {
  const isString = json.charCodeAt(0) === 0x22;
  if (isString && (type === undefined || type === 'Edm.String')) return `s${canonicalString(json)}`;
  const text = isString ? stringOf(json) : json;
  switch (type ?? impliedType(text)) {
    case 'Edm.Boolean':
      return `b${text}`;
    case 'Edm.Int32':
      return `i${withoutZeros(text)}`;
    case 'Edm.Int64':
      return `l${withoutZeros(text)}`;
    case 'Edm.Double': {
      const number = Number(text.replace('INF', 'Infinity'));
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
