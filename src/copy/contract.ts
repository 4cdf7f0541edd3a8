import type { EntityKey } from '../entity/stored/entity.js';

/** The ways to treat an entity that exists. */
export const copyModes = ['insert', 'skip', 'merge', 'replace'] as const;

/** The data to copy, and how. */
export interface CopyWish {
  readonly from: string;
  readonly to: string;
  /** The account of data with several. */
  readonly account?: string | undefined;
  /** Names of tables, in which `*` stands for any part. Empty: all. */
  readonly tables: readonly string[];
  readonly filter?: string | undefined;
  readonly select?: readonly string[] | undefined;
  readonly omit: readonly string[];
  readonly mask: readonly string[];
  readonly maskKey?: string | undefined;
  /** New names of tables, by name. */
  readonly rename: ReadonlyMap<string, string>;
  /** Most entities of each table. */
  readonly limit: number;
  /** The part of the partitions, from 0 to 1. */
  readonly sample: number;
  readonly mode: (typeof copyModes)[number];
  readonly settings: boolean;
  readonly dryRun: boolean;
  /** Whether the ends are compared instead. */
  readonly compare: boolean;
  readonly verify: boolean;
  /** Most requests in flight to each end. Half as many key ranges are read at the same time. */
  readonly transfers: number;
  /** The path of the state. */
  readonly state: string;
}

/** The result of a verification: equal; equal but for other entities that existed before; different; not verified. */
export type Verdict = 'same' | 'contained' | 'different' | 'no';

/**
 * What became of entities: `same` existed with the same values, `skipped` existed and stayed, `unreadable` are the rejected rows of files
 * that cannot be read.
 */
const countNames = ['read', 'written', 'same', 'skipped', 'rejected', 'unreadable'] as const;

/** Numbers of entities. */
export type RowCounts = Record<(typeof countNames)[number], number>;

/** Returns the counts of no entity. */
export function emptyCounts(): RowCounts {
  return { read: 0, written: 0, same: 0, skipped: 0, rejected: 0, unreadable: 0 };
}

/** Adds counts to others. */
export function addCounts(total: RowCounts, counts: Readonly<RowCounts>): void {
  for (const name of countNames) total[name] += counts[name];
}

/** The result of a table. */
export interface TableReport extends Readonly<RowCounts> {
  readonly table: string;
  /** Number of key ranges in which it was read. */
  readonly ranges: number;
  readonly verified: Verdict;
  /** Count and hash of both sides; those of no entity without a verification. */
  readonly source: string;
  readonly target?: string | undefined;
}

/** An entity that the target rejected. */
export interface RejectedEntity extends EntityKey {
  readonly table: string;
  readonly code: string;
  readonly message: string;
}

/** An entity that is not the same on both sides. */
export interface Difference extends EntityKey {
  readonly table: string;
  readonly kind: 'missing' | 'extra' | 'different';
}

/** The result of a copy. */
export interface CopyReport {
  readonly from: string;
  readonly to: string;
  readonly tables: readonly TableReport[];
  /** Number of entities that are in the target. */
  readonly rows: number;
  readonly rejectedRows: number;
  /** The first 1,000 of them. */
  readonly rejected: readonly RejectedEntity[];
  readonly differences: number;
  /** The first 1,000 of them. */
  readonly different: readonly Difference[];
  /** The masks that matched no entity, although their tables have some. */
  readonly unusedMasks: readonly string[];
  readonly notes: readonly string[];
  /** Whether it continued an interrupted copy. */
  readonly continued: boolean;
  /** Unit: milliseconds. */
  readonly ms: number;
}
