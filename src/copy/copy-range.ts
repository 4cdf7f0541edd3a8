import type { RangeState } from './copy-state.js';
import {
  type CopyMode,
  emptyResult,
  type FailedRow,
  isAtLeast,
  type Page,
  type Position,
  type ReadWish,
  type Source,
  type Target,
  type WriteResult,
} from './ends/end.js';
import type { Flow } from './flow.js';
import type { KeyOrder } from './key-order.js';
import type { ChangeRow } from './rows/change-row.js';
import { faultOfRow } from './rows/check-row.js';
import type { Row } from './rows/row.js';
import { addSum, emptySum, hashRow, type Lanes, removeFromSum, type Sum } from './rows/sum-rows.js';

/** A table to copy. */
export interface RangeJob {
  readonly source: Source;
  /** Absent: the rows are only checked. */
  readonly target: Target | undefined;
  /** The name of the table in the source, and in the target. */
  readonly table: string;
  readonly targetTable: string;
  readonly wish: ReadWish;
  readonly mode: CopyMode;
  readonly flow: Flow;
  readonly change: ChangeRow;
  readonly limit: number;
  /** Whether rows are hashed, to be verified. */
  readonly isHashed: boolean;
  /** Present if the source may have a key twice. */
  readonly keyOrder: KeyOrder | undefined;
  /** Whether a page is written only after the one before it. */
  readonly isSerial: boolean;
  readonly signal: AbortSignal;
  /** Called when rows are written, with the part of the range, from 0 to 1, if it is known. */
  readonly onProgress: (result: WriteResult, fraction: number | undefined) => void;
}

/** A range that is being read. Another reader may take its rest. */
export interface ActiveRange {
  readonly state: RangeState;
  /** The place after the last page that was read, also if that is not written yet. Absent: nothing is left to share. */
  readTo?: Position | undefined;
}

/** A page that is being written. */
interface PendingPage {
  readonly position: Position | undefined;
  readonly fraction: number | undefined;
  readonly read: number;
  readonly sum: Sum;
  readonly unreadable: readonly FailedRow[];
  result?: WriteResult;
}

/**
 * Copies the rest of a range. Pages are written while the next ones are read. The state counts a page only when it and all before it are
 * written, so a copy that is killed loses nothing. The end of the range may come closer meanwhile. Errors: CopyFault; the reason of
 * the signal.
 */
export async function copyRange(active: ActiveRange, job: RangeJob): Promise<void> {
  const { state } = active;
  const { flow, signal, limit } = job;
  const pending: PendingPage[] = [];
  const writes = new Set<Promise<void>>();
  let failure: unknown;
  let left = limit - state.written - state.same - state.skipped - state.failed;
  try {
    if (left <= 0) return endRange(state, pending);
    for await (const page of job.source.pages(job.table, { ...state }, job.wish)) {
      signal.throwIfAborted();
      if (failure !== undefined) break;
      const { found, rows, isLast } = rowsOf(page, state, job.change, left);
      left -= rows.length;
      active.readTo = page.position;
      const amount = { units: page.units, rows: found.length };
      await flow.take(amount);
      const position = found.length < page.rows.length ? undefined : page.position;
      const { fraction, unreadable = [] } = page;
      const one: PendingPage = { position, fraction, unreadable, read: found.length, sum: sumOf(rows, job) };
      pending.push(one);
      const write = writeRows(rows, job)
        .then((result) => settle(one, result, pending, state, job))
        .catch((error) => {
          failure ??= error;
        })
        .finally(() => {
          flow.free(amount);
          writes.delete(write);
        });
      writes.add(write);
      if (job.isSerial) await write;
      if (isLast || left <= 0) break;
    }
  } finally {
    // A range that is read to its end is not shared any more.
    active.readTo = undefined;
    await Promise.all(writes);
  }
  if (failure !== undefined) throw failure;
  endRange(state, pending);
}

function endRange(state: RangeState, pending: PendingPage[]): void {
  for (const one of pending.splice(0)) count(state, one);
  state.isDone = true;
}

/** Returns the rows of a page before the end of the range and within the limit, as found and as changed. */
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
  return { found: within.slice(0, read), rows, isLast };
}

function sumOf(rows: readonly Row[], job: RangeJob): Sum {
  const sum = emptySum();
  for (const row of rows) addSum(sum, lanesOf(row, job));
  return sum;
}

/** Returns the hash of a row; zeros if it is only counted. */
function lanesOf(row: Row, { isHashed }: RangeJob): Lanes {
  return isHashed ? hashRow(row) : [0, 0, 0, 0];
}

async function writeRows(rows: readonly Row[], job: RangeJob): Promise<WriteResult> {
  const { target, targetTable, mode, keyOrder } = job;
  if (rows.length === 0) return emptyResult();
  if (!target) return checkRows(rows);
  const write = () => target.write(targetTable, rows, mode);
  return keyOrder ? keyOrder.run(rows, write) : write();
}

function checkRows(rows: readonly Row[]): WriteResult {
  const failed = rows.flatMap((row) => {
    const fault = faultOfRow(row);
    return fault ? [{ row, ...fault }] : [];
  });
  return { ...emptyResult(), written: rows.length - failed.length, failed };
}

/** Records a written page, and counts those that no unwritten page precedes. */
function settle(one: PendingPage, result: WriteResult, pending: PendingPage[], state: RangeState, job: RangeJob): void {
  one.result = { ...result, failed: [...one.unreadable, ...result.failed] };
  for (const { row } of result.failed) removeFromSum(one.sum, lanesOf(row, job));
  for (const row of result.skipped) removeFromSum(one.sum, lanesOf(row, job));
  // The state moves to the last page before which all are written, and after which a read can continue.
  const written = pending.findIndex(({ result }) => !result);
  const ready = written < 0 ? pending : pending.slice(0, written);
  const last = ready.findLastIndex(({ position }) => position !== undefined);
  for (const page of pending.splice(0, last + 1)) count(state, page);
  job.onProgress(one.result, one.fraction);
}

function count(state: RangeState, { position, read, sum, result = emptyResult() }: PendingPage): void {
  if (position !== undefined) state.after = position;
  state.read += read;
  addSum(state.sum, sum.lanes, sum.rows);
  if (result.mark !== undefined) state.mark = result.mark;
  state.written += result.written;
  state.same += result.same;
  state.skipped += result.skipped.length;
  state.failed += result.failed.length;
}
