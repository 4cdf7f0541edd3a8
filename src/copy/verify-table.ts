import type { CopyWish, Difference, Verdict } from './contract.js';
import type { TableState } from './copy-state.js';
import type { Pair } from './ends/open-end.js';
import type { ChangeRow } from './rows/change-row.js';
import { type Sum, sumText } from './rows/sum-rows.js';
import { compareTables, emptyIfMissing, listedMax, type Side, sumTable } from './verify.js';

/** A table whose copy is verified. */
export interface CopiedTable extends Pick<TableState, 'wasEmpty' | 'ranges'> {
  readonly pair: Pair;
  readonly table: string;
  readonly targetTable: string;
  readonly wish: CopyWish;
  readonly change: ChangeRow;
  /** The rows of the source that the target should have. */
  readonly sum: Sum;
  /** Number of rows that were skipped or rejected. */
  readonly left: number;
  readonly onRows: (rows: number) => void;
}

/** The result of a verification. */
export interface Verification {
  readonly verified: Verdict;
  /** Count and hash of the target. */
  readonly target: string;
  readonly differences: number;
  readonly different: readonly Difference[];
  readonly note?: string;
}

/** Reads the target of a table, and the source again if they differ. Errors: CopyFault. */
export async function verifyTable(copied: CopiedTable): Promise<Verification> {
  const { pair, table, wasEmpty, wish, sum, left, onRows } = copied;
  const { limit, filter, select, mode, readers } = wish;
  const reader = emptyIfMissing(await pair.target.reader());
  const plain = { wish: {}, change: (row: Parameters<ChangeRow>[0]) => row };
  const other: Side = { source: reader, table: copied.targetTable, ...plain, onRows };
  const found = await sumTable(other, reader.splits ? partsOf(copied) : [{}], readers);
  const target = sumText(found);
  const none = { target, differences: 0, different: [] };
  if (target === sumText(sum)) return { verified: 'same', ...none };
  // Other entities than the first ones may be in the target for good reason.
  if (limit !== Number.POSITIVE_INFINITY) return { verified: wasEmpty ? 'different' : 'no', ...none };
  const one: Side = { source: pair.source, table, wish: { filter, select }, change: copied.change, onRows };
  const { first, missing, extra, different } = await compareTables(one, other, mode === 'merge');
  // Skipped and rejected entities differ, as the report says.
  const differences = Math.max(0, missing + different - left) + (wasEmpty ? extra : 0);
  if (differences > 0) {
    const listed = first.filter(({ kind }) => wasEmpty || kind !== 'extra').slice(0, listedMax);
    return { verified: 'different', target, differences, different: listed };
  }
  const lost = sum.rows - found.rows;
  if (!wasEmpty || pair.source.repeats || lost <= 0) return { verified: 'contained', ...none };
  const note = `${table}: ${lost} entities fewer than were read. The source has changed, or an entity was read twice.`;
  return { verified: 'different', target, differences: lost, different: [], note };
}

/** Returns the ranges of a table in the target, which can be read at the same time. */
function partsOf({ pair, ranges, wish }: CopiedTable) {
  const hasOtherKeys = wish.mask.some((name) => /(?:^|\.)(?:PartitionKey|RowKey)$/.test(name));
  return pair.source.splits && !hasOtherKeys ? ranges.map(({ from, before }) => ({ from, before })) : [{}];
}
