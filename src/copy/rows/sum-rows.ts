import { hash } from 'node:crypto';
import { AlikeBodies } from '../../entity/body/alike-bodies.js';
import { canonicalParts } from './canonical-entity.js';
import type { Row } from './row.js';

/** Half of a SHA-256, in numbers of 32 bits. */
export type Lanes = readonly number[];

/** The number of rows, and a sum of their hashes that does not depend on their order. */
export interface Sum {
  rows: number;
  lanes: Lanes;
}

/** The first byte of each lane. */
const laneStarts = [0, 4, 8, 12] as const;

/** Returns the sum of no rows. */
export function emptySum(): Sum {
  return { rows: 0, lanes: laneStarts.map(() => 0) };
}

/** Adds rows by their hash, or by the sum of their hashes. */
export function addSum(sum: Sum, lanes: Lanes, rows = 1): void {
  sum.rows += rows;
  sum.lanes = sum.lanes.map((lane, at) => (lane + (lanes[at] ?? 0)) >>> 0);
}

/** Returns a sum as text. */
export function sumText({ rows, lanes }: Sum): string {
  return `${rows}:${lanes.map((lane) => lane.toString(16).padStart(8, '0')).join('')}`;
}

/**
 * Returns a function that hashes the rows of a table. Two rows have the same hash if no client can tell them apart, in any spelling of
 * their values and any order of properties.
 */
export function rowHasher(): (row: Row) => Lanes {
  const bodies = new AlikeBodies();
  return ({ text }) => {
    // As characters, it is read without a buffer for each row.
    const bytes = hash('sha256', canonicalParts(text, bodies).join(), 'binary');
    const byte = (at: number) => bytes.charCodeAt(at);
    return laneStarts.map(
      (at) => byte(at) + byte(at + 1) * 0x100 + byte(at + 2) * 0x1_0000 + byte(at + 3) * 0x100_0000,
    );
  };
}
