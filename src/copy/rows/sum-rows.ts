import { canonicalValue, typeEnd, visitProperties } from './canonical-entity.js';
import { type Row, scanEntity } from './row.js';

/** Two independent hashes of 32 bits. */
export type Lanes = [number, number];

/** The number of rows, and a sum of their hashes that does not depend on their order. */
export interface Sum {
  rows: number;
  lanes: Lanes;
}

/** Returns the sum of no rows. */
export function emptySum(): Sum {
  return { rows: 0, lanes: emptyLanes() };
}

function emptyLanes(): Lanes {
  return [0, 0];
}

/** Adds rows by their hash, or by the sum of their hashes. */
export function addSum(sum: Sum, [one, other]: Readonly<Lanes>, rows = 1): void {
  sum.rows += rows;
  sum.lanes[0] = (sum.lanes[0] + one) >>> 0;
  sum.lanes[1] = (sum.lanes[1] + other) >>> 0;
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
  const row = hashPlain(text) ?? hashAny(text);
  // A sum of rows would not change if two rows exchanged a property.
  return [mixed(row[0] ^ Math.imul(row[1], one)) >>> 0, mixed(row[1] ^ Math.imul(row[0], other)) >>> 0];
}

/** Returns the sum of the hashes of properties in any spelling. */
function hashAny(text: string): Lanes {
  const row = emptyLanes();
  visitProperties(text, (name, value) => {
    const property = emptyLanes();
    hashInto(property, name, 0, name.length);
    hashInto(property, value, 0, value.length);
    addProperty(row, property);
  });
  return row;
}

/**
 * Returns the same for an entity without escapes, in which each type is before its property, as services write them; undefined for
 * others. Most strings are hashed where they are, without a copy.
 */
function hashPlain(text: string): Lanes | undefined {
  if (text.includes('\\')) return undefined;
  const [row, property]: [Lanes, Lanes] = [emptyLanes(), emptyLanes()];
  let typed = '';
  let type: string | undefined;
  let isPlain = true;
  scanEntity(text, 0, (nameAt, nameEnd, valueAt, valueEnd) => {
    const typeAt = nameEnd - typeEnd.length;
    const isType = typeAt > nameAt && text.startsWith(typeEnd, typeAt);
    if (type !== undefined) isPlain &&= !isType && text.slice(nameAt, nameEnd) === typed;
    if (isType) {
      typed = `${text.slice(nameAt, typeAt)}"`;
      type = text.slice(valueAt + 1, valueEnd - 1);
      return;
    }
    property[0] = 0;
    property[1] = 0;
    hashInto(property, text, nameAt, nameEnd);
    if (type === undefined && text.charCodeAt(valueAt) === 0x22) hashInto(property, text, valueAt, valueEnd);
    else {
      const value = canonicalValue(text.slice(valueAt, valueEnd), type);
      hashInto(property, value, 0, value.length);
    }
    addProperty(row, property);
    type = undefined;
  });
  return isPlain && type === undefined ? row : undefined;
}

function addProperty(row: Lanes, property: Readonly<Lanes>): void {
  row[0] = (row[0] + mixed(property[0])) | 0;
  row[1] = (row[1] + mixed(property[1])) | 0;
}

/** Adds a part of a text to two hashes, two units at a time. */
function hashInto(lanes: Lanes, text: string, from: number, to: number): void {
  const [first, second] = factors;
  let one = lanes[0] ^ (to - from);
  let other = lanes[1] ^ (to - from);
  for (let at = from; at < to; at += 2) {
    const units = text.charCodeAt(at) | (at + 1 < to ? text.charCodeAt(at + 1) << 16 : 0);
    // Without the shifts, a bit would never depend on those above it.
    one = Math.imul(one ^ units, first);
    one ^= one >>> 15;
    other = Math.imul(other ^ units, second);
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
