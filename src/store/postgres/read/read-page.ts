import type pg from 'pg';
import Cursor from 'pg-cursor';
import { pageBytesMax } from '../../../protocol/limits.js';
import { compileTextTest } from '../../../query/filter/evaluate-filter.js';
import type { KeyRange, QueryPlan } from '../../../query/plan/plan.js';
import { GrowingPage } from '../../growing-page.js';
import { Abandoned, type Page } from '../../store.js';
import { RowTap } from '../connection/row-tap.js';
import { textOf } from '../schema/stamps.js';
import type { TableName } from './look-ups.js';
import { pageStatement, rangesMax } from './page-statement.js';
import { StampedRows } from './stamped-rows.js';

/** A page, and the id of its table; null if the table is missing. */
export interface FoundPage {
  readonly id: string | null;
  readonly page: Page;
}

/** Rows that a scan asks for at a time, and their size at most. */
const chunk = { rows: 1000, first: 128, bytes: 2 * 1024 * 1024 };

/** A request for a page. */
export interface AskedPage {
  readonly table: TableName;
  readonly plan: QueryPlan;
  /** Returns whether the client has left. */
  readonly isGone?: (() => boolean) | undefined;
}

/** Columns of a row: id of the table, stamp, body, and for some pages more. */
export type Row = readonly [id: string, ts: string | null, body: string, ordinal?: string];

/** A connection on which a page is read. */
export interface PageConnection {
  readonly client: pg.Client;
  /** Waits for an answer, but not for ever. */
  within<T>(answer: Promise<T>): Promise<T>;
}

/** A read of rows in steps. */
export interface RowSource {
  /** Returns the next rows, at most this many; fewer at the end. */
  read(rows: number): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/**
 * Reads one page of a table in key order, all of it from one snapshot.
 *
 * Errors: Abandoned once it has; those of the client of the database.
 */
export async function readPage(connection: PageConnection, { table, plan, isGone }: AskedPage): Promise<FoundPage> {
  const { ranges, filter, bytesMax = pageBytesMax } = plan;
  const page = new GrowingPage(plan);
  const matches = filter && compileTextTest(filter);
  const groups = groupsOf(ranges);
  // One statement has one snapshot. Several need a transaction.
  if (groups.length > 1) await run(connection, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const id = await readGroups(connection, table, groups, { page, matches, bytesMax, isGone });
  if (groups.length > 1) await run(connection, 'COMMIT');
  if (isGone?.()) throw new Abandoned();
  return { id, page: page.finish() };
}

/** The state of a page that is being filled. */
interface Reading {
  readonly page: GrowingPage;
  readonly matches: ((text: string) => boolean) | undefined;
  readonly bytesMax: number;
  readonly isGone: (() => boolean) | undefined;
}

/** Fills a page. Returns the id of the table, null if it is missing. */
async function readGroups(
  connection: PageConnection,
  table: TableName,
  groups: readonly (readonly KeyRange[])[],
  reading: Reading,
): Promise<string | null> {
  let id: string | null = null;
  for (const group of groups) {
    const found = reading.matches
      ? await fillFromCursor(connection, table, group, reading)
      : await fillAtOnce(connection, table, group, reading);
    id = found.id;
    if (id === null || found.isFull) break;
  }
  return id;
}

/** Splits ranges for statements. There is at least one statement, since it tells whether the table exists. */
function groupsOf(ranges: readonly KeyRange[]): readonly (readonly KeyRange[])[] {
  const groups = [ranges.slice(0, rangesMax)];
  for (let at = rangesMax; at < ranges.length; at += rangesMax) groups.push(ranges.slice(at, at + rangesMax));
  return groups;
}

/**
 * Adds the rows of a source that match to a page, until it is full or the client has left. Returns the row that did not fit,
 * too.
 */
export async function fill(
  source: RowSource,
  { page, matches, isGone }: Pick<Reading, 'page' | 'matches' | 'isGone'>,
): Promise<Filled & { readonly next?: Row }> {
  let id: string | null = null;
  for (let wanted = chunk.first; ; ) {
    const rows = await source.read(wanted);
    let bytes = 0;
    for (const row of rows) {
      const [tableId, ts, body] = row;
      id = tableId;
      if (ts === null) return { id, isFull: false };
      const text = textOf(body, ts);
      bytes += text.length;
      if ((!matches || matches(text)) && !page.add(text)) return { id, isFull: true, next: row };
      page.examined++;
    }
    if (rows.length < wanted || isGone?.()) return { id, isFull: rows.length === wanted };
    wanted = Math.max(1, Math.min(chunk.rows, Math.floor((chunk.bytes * rows.length) / bytes)));
  }
}

/** The id of a page's table, null if it is missing, and whether the page is full. */
interface Filled {
  readonly id: string | null;
  readonly isFull: boolean;
}

/** Adds the rows of ranges to a page: reads no more rows and bytes than the page can take. */
async function fillAtOnce(
  connection: PageConnection,
  table: TableName,
  ranges: readonly KeyRange[],
  { page, bytesMax }: Reading,
): Promise<Filled> {
  const read = (kind: 'short' | 'long') =>
    readRows(connection, pageStatement(table, ranges, { kind, rowsMax: page.rowsWanted, bytesMax }));
  const short = await read('short');
  const { id, texts } = short.isIncomplete ? await read('long') : short;
  for (const text of texts) {
    if (!page.add(text)) return { id, isFull: true };
    page.examined++;
  }
  return { id, isFull: false };
}

/** Reads all rows of a statement with bounds. */
async function readRows(
  { client, within }: PageConnection,
  { statement, values }: ReturnType<typeof pageStatement>,
): Promise<StampedRows> {
  const rows = new StampedRows();
  RowTap.of(client).giveTo(rows);
  await within(client.query({ ...statement, values }));
  return rows;
}

/** Adds the rows of ranges that match to a page. */
async function fillFromCursor(
  connection: PageConnection,
  table: TableName,
  ranges: readonly KeyRange[],
  reading: Reading,
): Promise<Filled> {
  const { statement, values } = pageStatement(table, ranges);
  const source = openCursor(connection, statement.text, values);
  const found = await fill(source, reading);
  await source.close();
  return found;
}

async function run({ client, within }: PageConnection, text: string): Promise<void> {
  await within(client.query(text));
}

/** Reads through a portal, because a filter may need many rows or few. */
export function openCursor({ client, within }: PageConnection, text: string, values: unknown[]): RowSource {
  const cursor = client.query(new Cursor<Row>(text, values, { rowMode: 'array' }));
  return {
    read: (rows) => within(cursor.read(rows)),
    close: () => within(cursor.close()),
  };
}
