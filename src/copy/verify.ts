import type { EntityKey } from '../entity/stored/entity.js';
import type { CopyReport, Difference, RowCounts, TableReport } from './contract.js';
import type { TableJob } from './copy-range.js';
import type { TableState } from './copy-state.js';
import { readersFor } from './copy-tables.js';
import type { Page, Range, ReadWish, Source } from './ends/end.js';
import { canonicalParts, isSameEntity } from './rows/canonical-entity.js';
import type { ChangeRow } from './rows/change-row.js';
import type { Row } from './rows/row.js';
import { addRow, emptySum, rowHasher, type Sum, sumText } from './rows/sum-rows.js';

/** One side of a comparison. */
interface Side {
  readonly source: ComparedSource;
  readonly table: string;
  readonly wish: ReadWish;
  readonly change: ChangeRow;
  readonly onPage: (page: Page) => void;
}

/** The end that a table is compared with. */
export type ComparedSource = Pick<Source, 'pages' | 'split'>;

/** The end without a table. */
export const noTable: ComparedSource = { async *pages(): AsyncGenerator<Page> {} };

/** Number of groups in which rows are compared, by a hash of their keys. (Our choice: a group of a million rows has 250.) */
const groupCount = 4096;

/** Most rows in a list of a report. */
export const listedMax = 1000;

/** Sums the rows that a table of a source should bring to its target. Errors: CopyFault. */
export function sumSource(job: TableJob, onPage: Side['onPage']): Promise<Sum> {
  return sumRanges(sourceSide(job, onPage), [{}], 1);
}

/**
 * Reads the other end of a table, and the source again if they differ. `sum` has the rows of the source that the target should have;
 * `counts` has the numbers of the others. Errors: CopyFault.
 */
export async function verifyTable(
  job: TableJob,
  reader: ComparedSource,
  { wasEmpty, ranges }: Pick<TableState, 'wasEmpty' | 'ranges'>,
  { sum, counts, onPage }: { readonly sum: Sum; readonly counts: RowCounts; readonly onPage: Side['onPage'] },
): Promise<
  Pick<TableReport, 'verified' | 'target'> & Pick<CopyReport, 'differences' | 'different'> & { note?: string }
> {
  const { source, targetTable, wish } = job;
  const other: Side = { source: reader, table: targetTable, wish: {}, change: (row) => row, onPage };
  // Ranges can be read at the same time, unless the target has other keys.
  const hasOtherKeys = wish.mask.some((name) => /(?:^|\.)(?:PartitionKey|RowKey)$/.test(name));
  const mayDivide = reader.split && source.split && !hasOtherKeys;
  const parts = mayDivide ? ranges.map(({ from, before }) => ({ from, before })) : [{}];
  const present = await sumRanges(other, parts, readersFor(wish.transfers));
  const none = { target: sumText(present), differences: 0, different: [] };
  // A row whose masked key another one has may have been skipped.
  const mayCollide = hasOtherKeys && counts.skipped > 0;
  if (none.target === sumText(sum) && !mayCollide) return { verified: 'same', ...none };
  // Other entities than the first ones may be in the target for good reason.
  if (wish.limit !== Number.POSITIVE_INFINITY) {
    if (wasEmpty) return { verified: 'different', ...none };
    const reason = 'with --limit, the entities that were there before cannot be told apart.';
    return { verified: 'no', ...none, note: `${job.table} is not verified: ${reason}` };
  }
  // Rows that cannot be read count once.
  const onAgain: Side['onPage'] = ({ rows }) => onPage({ rows });
  const found = await compareTables(sourceSide(job, onAgain), { ...other, onPage: onAgain }, wish.mode === 'merge');
  const collided = hasOtherKeys ? found.doubled : 0;
  const differences = unexplained(found, counts) + collided + (wasEmpty ? found.extra : 0);
  if (differences > 0) {
    const different = found.first.filter(({ kind }) => wasEmpty || kind !== 'extra').slice(0, listedMax);
    const note = `${job.table}: the masks have made the keys of ${collided} entities equal to those of others. Mask other keys.`;
    return { ...none, verified: 'different', differences, different, ...(collided > 0 && { note }) };
  }
  const lost = sum.rows - present.rows;
  if (!wasEmpty || source.isOfFiles || lost <= 0) return { verified: wasEmpty ? 'same' : 'contained', ...none };
  const note = `${job.table}: ${lost} entities fewer than were read. The source has changed, or an entity was read twice.`;
  return { ...none, verified: 'different', differences: lost, note };
}

/** Returns the number of differences beside those that skipped and rejected entities explain. A skipped one exists in the target. */
function unexplained({ missing, different }: Record<'missing' | 'different', number>, counts: RowCounts): number {
  const rejected = counts.rejected - counts.unreadable;
  const present = Math.max(0, rejected - missing);
  return Math.max(0, missing - rejected) + Math.max(0, different - counts.skipped - present);
}

function sourceSide({ source, table, wish, change }: TableJob, onPage: Side['onPage']): Side {
  return { source, table, wish, change, onPage };
}

/** Sums the rows of ranges that cover a table. `readers` of them are read at the same time. */
async function sumRanges(side: Side, ranges: readonly Range[], readers: number): Promise<Sum> {
  const [sum, hash] = [emptySum(), rowHasher()];
  const queue = [...ranges];
  const work = async () => {
    for (let range = queue.shift(); range; range = queue.shift())
      for await (const rows of rowsOf(side, range)) for (const { row } of rows) addRow(sum, hash(row));
  };
  const results = await Promise.allSettled(Array.from({ length: readers }, work));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return sum;
}

/**
 * Finds the entities that differ, without keeping a table in memory: first the groups of keys that differ, then their rows. `isMerged`:
 * the other side may have more properties.
 */
async function compareTables(one: Side, other: Side, isMerged: boolean) {
  const [a, b] = await Promise.all([groupSums(one), groupSums(other)]);
  const wanted = new Map<string, ChangedRow>();
  const differing = async function* (side: Side) {
    for await (const rows of rowsOf(side)) yield* rows.filter(({ row }) => a[groupOf(row)] !== b[groupOf(row)]);
  };
  const counts = { missing: 0, extra: 0, different: 0, doubled: 0 };
  for await (const changed of differing(one)) {
    const before = wanted.get(idOf(changed.row));
    // A file may have an entity twice.
    if (before && idOf(before.from) !== idOf(changed.from)) counts.doubled++;
    wanted.set(idOf(changed.row), changed);
  }
  const first: Difference[] = [];
  const add = (kind: Difference['kind'], { partitionKey, rowKey }: EntityKey) => {
    counts[kind]++;
    // Each kind has its own part of the list: extra entities do not count in a table that had some.
    if (counts[kind] <= listedMax) first.push({ table: other.table, kind, partitionKey, rowKey });
  };
  for await (const { row } of differing(other)) {
    const match = wanted.get(idOf(row))?.row;
    wanted.delete(idOf(row));
    if (!match) add('extra', row);
    else if (!isSameEntity(match.text, row.text) && !(isMerged && contains(row, match))) add('different', row);
  }
  for (const { row } of wanted.values()) add('missing', row);
  return { ...counts, first };
}

async function groupSums(side: Side): Promise<string[]> {
  const hash = rowHasher();
  const sums = Array.from({ length: groupCount }, emptySum);
  for await (const rows of rowsOf(side)) for (const { row } of rows) addRow(sums[groupOf(row)] as Sum, hash(row));
  return sums.map(sumText);
}

/** Whether a row has all properties of another one. */
function contains({ text }: Row, part: Row): boolean {
  const all = new Set(canonicalParts(text));
  return canonicalParts(part.text).every((one) => all.has(one));
}

/** A row that the other end should have, and the one that it is made from. */
interface ChangedRow {
  readonly row: Row;
  readonly from: Row;
}

/** Yields the changed rows of each page. */
async function* rowsOf(side: Side, range: Range = {}): AsyncGenerator<ChangedRow[]> {
  const { source, table, wish, change, onPage } = side;
  for await (const page of source.pages(table, range, wish)) {
    const changed: ChangedRow[] = [];
    for (const from of page.rows) {
      const row = change(from);
      if (row) changed.push({ row, from });
    }
    yield changed;
    onPage(page);
  }
}

function idOf({ partitionKey, rowKey }: EntityKey): string {
  return JSON.stringify([partitionKey, rowKey]);
}

function groupOf(key: EntityKey): number {
  const text = idOf(key);
  let hash = 17;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return (hash >>> 0) % groupCount;
}
