import type pg from 'pg';
import Cursor from 'pg-cursor';
import { pageBytesMax } from '../../../protocol/limits.js';
import { compileTextTest } from '../../../query/filter/evaluate-filter.js';
import type { KeyRange, QueryPlan } from '../../../query/plan/plan.js';
import { remember } from '../../../remembered.js';
import { GrowingPage } from '../../growing-page.js';
import { Abandoned, type Page } from '../../store.js';
import { RowTap } from '../connection/row-tap.js';
import { encodeRange, type KeyBound } from '../schema/keys.js';
import { textOf } from '../schema/stamps.js';
import type { Statement } from '../schema/statements.js';
import type { TableName } from './look-ups.js';
import { StampedRows } from './stamped-rows.js';

/** A page, and the id of its table; null if the table is missing. */
export interface PageResult {
  readonly id: string | null;
  readonly page: Page;
}

/** The maximum and initial number of rows per step of a scan, and the maximum size in bytes. */
const chunk = { rows: 1000, first: 128, bytes: 2 * 1024 * 1024 };

/** A request for a page. */
export interface PageRequest {
  readonly table: TableName;
  readonly plan: QueryPlan;
  readonly isGone?: (() => boolean) | undefined;
}

/** Columns of a row: id of the table, stamp, body, and the ordinal for some pages. */
export type Row = readonly [id: string, ts: string | null, body: string, ordinal?: string];

/** A connection for reading a page. */
export interface PageConnection {
  readonly client: pg.Client;
  /** Waits for an answer, up to a time limit. */
  within<T>(answer: Promise<T>): Promise<T>;
}

/** A read of rows in steps. */
export interface RowSource {
  /** Returns the next `rows` rows; fewer at the end. */
  read(rows: number): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** Reads one page of a table in key order, from one snapshot. Errors: Abandoned; those of the database client. */
export async function readPage(connection: PageConnection, { table, plan, isGone }: PageRequest): Promise<PageResult> {
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

interface Reading {
  readonly page: GrowingPage;
  readonly matches: ((text: string) => boolean) | undefined;
  readonly bytesMax: number;
  readonly isGone: (() => boolean) | undefined;
}

/** Fills a page. Returns the id of the table; null if it is missing. */
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

/** Splits ranges into statements. There is at least one, to check that the table exists. */
function groupsOf(ranges: readonly KeyRange[]): readonly (readonly KeyRange[])[] {
  const groups = [ranges.slice(0, rangesMax)];
  for (let at = rangesMax; at < ranges.length; at += rangesMax) groups.push(ranges.slice(at, at + rangesMax));
  return groups;
}

/** Adds matching rows of a source to a page, until it is full or the client has disconnected. Also returns the row that did not fit. */
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

/** The result of filling a page. The id of its table is null if that is missing. */
interface Filled {
  readonly id: string | null;
  readonly isFull: boolean;
}

/** Adds the rows of ranges to a page. Reads only as many rows and bytes as fit. */
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

async function readRows(
  { client, within }: PageConnection,
  { statement, values }: ReturnType<typeof pageStatement>,
): Promise<StampedRows> {
  const rows = new StampedRows();
  RowTap.of(client).giveTo(rows);
  await within(client.query({ ...statement, values }));
  return rows;
}

/** Adds the matching rows of ranges to a page. */
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

/** Reads through a portal, because a filter may need few rows or many. */
function openCursor({ client, within }: PageConnection, text: string, values: unknown[]): RowSource {
  const cursor = client.query(new Cursor<Row>(text, values, { rowMode: 'array' }));
  return {
    read: (rows) => within(cursor.read(rows)),
    close: () => within(cursor.close()),
  };
}

const rangesMax = 16;

/** A range without rows, which pads a statement with more ranges than a page has. */
const nothing: { readonly from: KeyBound; readonly to: KeyBound } = encodeRange({
  from: { partitionKey: '', side: 'before' },
  to: { partitionKey: '', side: 'before' },
});

/** The kind of read: all rows on demand; a page, if its bodies are short; a page with bodies of any length. */
type Kind = 'rows' | 'short' | 'long';

interface PageBounds {
  readonly kind: 'short' | 'long';
  readonly rowsMax: number;
  readonly bytesMax: number;
}

/** The parameters before the bounds of the ranges. */
const fixed = 4;

/**
 * Returns the statement that reads up to `rangesMax` ranges of a table in key order, and its parameters. No row: the table is missing.
 * Statements exist for 1, 2, 4, 8 and 16 ranges, so that a connection prepares few.
 *
 * Without bounds, the columns are: id of the table, stamp, body. A row without a stamp means that the table has no such row.
 *
 * With bounds, the columns are: stamp, body. The first row has the id of the table as its stamp, and no body.
 * - For short bodies, a row has no body if that exceeds its share of the bytes. So the bound holds without adding up the bytes, which takes
 *   as long as finding the rows.
 * - Otherwise the rows end with the one after the row that reaches the bound in bytes.
 */
export function pageStatement(
  { account, name }: TableName,
  ranges: readonly KeyRange[],
  bounds?: PageBounds,
): { readonly statement: Statement; readonly values: unknown[] } {
  let size = 1;
  while (size < ranges.length) size *= 2;
  const encoded = Array.from({ length: size }, (_, at) => {
    const range = ranges[at];
    return range ? encodeRange(range) : nothing;
  });
  const { kind = 'rows', rowsMax = null, bytesMax = null } = bounds ?? {};
  const bytes = bounds?.kind === 'short' ? Math.floor(bounds.bytesMax / bounds.rowsMax) : bytesMax;
  const values = [account, name, rowsMax, bytes];
  return {
    statement: statementOf(kind, size),
    values: [...values, ...encoded.flatMap(({ from, to }) => [...from, ...to])],
  };
}

/** The generators of statement texts for a number of ranges. */
const writers: Readonly<Record<Kind, (size: number) => string>> = {
  rows: findRows,
  short: findShortRows,
  long: findLongRows,
};

/** The generated statements, by name. (Our choice: there are fewer kinds.) */
const statements = remember<Statement>(256);

function statementOf(kind: Kind, size: number): Statement {
  const name = `read-${kind}-${size}`;
  const statement = statements.get(name) ?? { name, text: writers[kind](size) };
  statements.set(name, statement);
  return statement;
}

/** Returns the query of the ranges in key order. `r` is the number of the range. */
function readRanges(size: number, columns: string): string {
  const reads = Array.from({ length: size }, (_, at) => {
    const [fromPk, fromRk, toPk, toRk] = [1, 2, 3, 4].map((part) => `$${fixed + 4 * at + part}::bytea`);
    return `(SELECT ${at} AS r, pk, rk, ${columns} FROM entities WHERE table_id = t.id
 AND (pk, rk) >= (${fromPk}, ${fromRk}) AND (pk, rk) < (${toPk}, ${toRk}) ORDER BY pk, rk LIMIT $3::bigint)`;
  });
  return size === 1 ? reads.join() : `SELECT * FROM (${reads.join('\nUNION ALL ')}) u ORDER BY pk, rk LIMIT $3::bigint`;
}

/** Returns a statement whose rows the client fetches on demand. */
function findRows(size: number): string {
  return `SELECT t.id, e.ts, e.body FROM tables t
 LEFT JOIN LATERAL (SELECT ts, body FROM (${readRanges(size, 'ts, body')}) s WHERE $4::bigint IS NULL) e ON true
 WHERE t.account = $1 AND t.name_key = $2`;
}

const findTable = 'WITH t AS MATERIALIZED (SELECT id FROM tables WHERE account = $1 AND name_key = $2)';

/** Returns the rest of a statement after `findTable`: its id, and rows. */
function findEntities(rows: string): string {
  return `SELECT id AS ts, NULL::text AS body FROM t
 UNION ALL SELECT e.ts, e.body FROM t, LATERAL (SELECT ts, body FROM (${rows}) s) e`;
}

/** Returns a statement that reads the rows of a page, without bodies that are too long. */
function findShortRows(size: number): string {
  const columns = 'ts, CASE WHEN octet_length(body) <= $4::bigint THEN body END AS body';
  return `${findTable}
 ${findEntities(readRanges(size, columns))}`;
}

function findLongRows(size: number): string {
  // Excludes the previous row, so that a page includes the row that fills it, and the next one.
  const before = 'OVER (ORDER BY pk, rk ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING)';
  const rows = `SELECT ts, body, coalesce(sum(octet_length(body)) ${before}, 0) AS before
   FROM (${readRanges(size, 'ts, body')}) w`;
  return `${findTable}
 ${findEntities(`SELECT ts, body FROM (${rows}) n WHERE before < $4::bigint`)}`;
}
