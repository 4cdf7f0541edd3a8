import { hash } from 'node:crypto';
import { AlikeBodies } from '../../entity/body/alike-bodies.js';
import { canonicalParts } from './canonical-entity.js';
import type { Row } from './row.js';

/** The number of rows, and a sum of their hashes that does not depend on their order. */
export interface Sum {
  rows: number;
  /** Numbers of 32 bits, which make half of a SHA-256. */
  readonly lanes: number[];
}

/** Returns the sum of no rows. */
export function emptySum(): Sum {
  return { rows: 0, lanes: [0, 0, 0, 0] };
}

/** Adds a row by its hash. */
export function addRow(sum: Sum, bytes: string): void {
  const byte = (at: number) => bytes.charCodeAt(at);
  sum.rows++;
  for (let lane = 0, at = 0; lane < sum.lanes.length; lane++, at += 4) {
    const number = byte(at) | (byte(at + 1) << 8) | (byte(at + 2) << 16) | (byte(at + 3) << 24);
    sum.lanes[lane] = ((sum.lanes[lane] ?? 0) + number) >>> 0;
  }
}

/** Adds a sum to another. */
export function addSum(sum: Sum, { rows, lanes }: Readonly<Sum>): void {
  sum.rows += rows;
  for (const [at, lane] of lanes.entries()) sum.lanes[at] = ((sum.lanes[at] ?? 0) + lane) >>> 0;
}

/** Returns a sum as text. */
export function sumText({ rows, lanes }: Readonly<Sum>): string {
  return `${rows}:${lanes.map((lane) => lane.toString(16).padStart(8, '0')).join('')}`;
}

/**
 * Returns a function that hashes the rows of a table: a character for each byte. Two rows have the same hash if no client can tell them
 * apart, in any spelling of their values and any order of properties.
 */
export function rowHasher(): (row: Row) => string {
  const bodies = new AlikeBodies();
  return ({ text }) => hash('sha256', canonicalParts(text, bodies).join(), 'binary');
}
