import { addCounts, type CopyWish, emptyCounts, type RowCounts } from './contract.js';
import type { RangeState } from './copy-state.js';
import {
  emptyResult,
  isAtLeast,
  type Page,
  type Position,
  type Source,
  type Target,
  type WriteResult,
} from './ends/end.js';
import type { ChangeRow } from './rows/change-row.js';
import type { Row } from './rows/row.js';
import { addRow, addSum, emptySum, type Sum } from './rows/sum-rows.js';

/** A table to copy. */
export interface TableJob {
  readonly source: Source;
  readonly target: Target;
  /** The name of the table in the source, and in the target. */
  readonly table: string;
  readonly targetTable: string;
  readonly wish: CopyWish;
  readonly change: ChangeRow;
  /** Hashes rows, to be verified. Absent: they are not. */
  readonly hash: ((row: Row) => string) | undefined;
  /** Whether a page is written only after the one before it. */
  readonly isSerial: boolean;
  readonly signal: AbortSignal;
  /** Called with a note for the report. */
  readonly onNote: (note: string) => void;
  /** Called when rows are written, with the part of the table, from 0 to 1, if it is known. */
  readonly onProgress: (result: WriteResult, fraction: number | undefined) => void;
}

/** A range that is being read. Another reader may take its rest. */
export interface ActiveRange {
  readonly state: RangeState;
  /** The place after the last page that was read, also if that is not written yet. Absent: nothing is left to share. */
  readTo?: Position | undefined;
}

/**
 * Pages of a range that are written at the same time. (Our choice: their transactions are enough for all requests in flight. A short queue
 * bounds the memory, and lets the oldest page, and with it the state, come through first.)
 */
const pagesMax = 2;

/** A page that is being written. */
interface PendingPage {
  readonly position: Position | undefined;
  readonly sum: Sum;
  /** Absent: it is not written yet. */
  counts?: RowCounts;
  mark?: number | undefined;
}

/**
 * Copies the rest of a range. Pages are written while the next ones are read. The state counts a page only when it and all before it are
 * written, so a copy that is killed loses nothing. The end of the range may come closer meanwhile. Errors: CopyFault; the reason of
 * the signal.
 */
export async function copyRange(active: ActiveRange, job: TableJob): Promise<void> {
  const { state } = active;
  const { source, table, wish, signal } = job;
  const { written, same, skipped, rejected } = state.counts;
  const pending: PendingPage[] = [];
  const writes = new Set<Promise<void>>();
  let failure: unknown;
  let left = wish.limit - written - same - skipped - rejected;
  try {
    for await (const page of left > 0 ? source.pages(table, { ...state }, wish) : []) {
      signal.throwIfAborted();
      if (failure !== undefined) break;
      const { read, rows, isLast } = rowsOf(page, state, job.change, left);
      left -= rows.length;
      active.readTo = page.position;
      const position = read < page.rows.length ? undefined : page.position;
      const one: PendingPage = { position, sum: emptySum() };
      pending.push(one);
      const write = writeRows(rows, read, page, one, job)
        .then(() => countWritten(pending, state))
        .catch((error) => {
          failure ??= error;
        })
        .finally(() => writes.delete(write));
      writes.add(write);
      if (writes.size >= (job.isSerial ? 1 : pagesMax)) await Promise.race(writes);
      if (isLast || left <= 0) break;
    }
  } finally {
    // A range that is read to its end is not shared any more.
    active.readTo = undefined;
    await Promise.all(writes);
  }
  if (failure !== undefined) throw failure;
  for (const one of pending) count(state, one);
  state.isDone = true;
}

/** Returns the rows of a page before the end of the range and within the limit, as changed, and the number that was read for them. */
function rowsOf({ rows: all }: Page, { before }: RangeState, change: ChangeRow, left: number) {
  const last = all.at(-1);
  const isLast = before !== undefined && last !== undefined && isAtLeast(last, before);
  const within = isLast ? all.filter((row) => !isAtLeast(row, before)) : all;
  const rows: Row[] = [];
  let read = 0;
  while (read < within.length && rows.length < left) {
    const row = change(within[read++] as Row);
    if (row) rows.push(row);
  }
  return { read, rows, isLast };
}

async function writeRows(
  rows: readonly Row[],
  read: number,
  { unreadable = [], fraction }: Page,
  one: PendingPage,
  job: TableJob,
): Promise<void> {
  const { target, targetTable, wish, hash, onProgress } = job;
  const result = rows.length === 0 ? emptyResult() : await target.write(targetTable, rows, wish.mode);
  const absent = new Set([...result.skipped, ...result.failed.map(({ row }) => row)]);
  for (const row of hash ? rows : []) if (!absent.has(row)) addRow(one.sum, hash?.(row) ?? '');
  result.failed.unshift(...unreadable);
  const { written, same, skipped, failed, mark } = result;
  one.mark = mark;
  const left = { skipped: skipped.length, rejected: failed.length, unreadable: unreadable.length };
  one.counts = { read, written, same, ...left };
  onProgress(result, fraction);
}

/** Moves the state to the last page before which all are written, and after which a read can continue. */
function countWritten(pending: PendingPage[], state: RangeState): void {
  const open = pending.findIndex(({ counts }) => !counts);
  const ready = open < 0 ? pending : pending.slice(0, open);
  const last = ready.findLastIndex(({ position }) => position !== undefined);
  for (const page of pending.splice(0, last + 1)) count(state, page);
}

function count(state: RangeState, { position, sum, counts = emptyCounts(), mark }: PendingPage): void {
  if (position !== undefined) state.after = position;
  if (mark !== undefined) state.mark = mark;
  addSum(state.sum, sum);
  addCounts(state.counts, counts);
}
