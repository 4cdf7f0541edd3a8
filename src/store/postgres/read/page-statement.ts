import type { KeyRange } from '../../../query/plan/plan.js';
import { remember } from '../../../remembered.js';
import { encodeRange, type KeyBound } from '../schema/keys.js';
import type { Statement } from '../schema/statements.js';
import type { TableName } from './look-ups.js';

/** The most ranges that one statement reads. */
export const rangesMax = 16;

/** A range without rows. It fills a statement that reads more ranges than a page has. */
const nothing: { readonly from: KeyBound; readonly to: KeyBound } = encodeRange({
  from: { partitionKey: '', side: 'before' },
  to: { partitionKey: '', side: 'before' },
});

/** Which rows are read: all that the client takes; a page, if its bodies are short; a page with bodies of any length. */
type Kind = 'rows' | 'short' | 'long';

/** What bounds a page. */
export interface PageBounds {
  readonly kind: 'short' | 'long';
  readonly rowsMax: number;
  readonly bytesMax: number;
}

/** The parameters before the bounds of the ranges. */
const fixed = 4;

/**
 * Returns the statement that reads ranges of a table in key order, and its parameters. No row: the table is missing. At most
 * `rangesMax` ranges. Statements exist for 1, 2, 4, 8 and 16 ranges, so that a connection prepares few.
 *
 * Without bounds, columns are: id of the table, stamp, body. One row without a stamp: the table has no such row.
 *
 * With bounds, columns are: stamp, body. The first row has the id of the table as its stamp, and no body.
 * - For short bodies, a row has no body if it is longer than each may be. So the bound in bytes holds, and nothing has to
 *   add up the bytes, which takes as long as to find the rows.
 * - Else rows end after the one that reaches the bound in bytes, and the next one.
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

/** What writes the text of a statement for a number of ranges. */
const writers: Readonly<Record<Kind, (size: number) => string>> = {
  rows: findRows,
  short: findShortRows,
  long: findLongRows,
};

/** The statements that were written, by name. (Our choice: there are fewer kinds.) */
const statements = remember<Statement>(256);

function statementOf(kind: Kind, size: number): Statement {
  const name = `read-${kind}-${size}`;
  const statement = statements.get(name) ?? { name, text: writers[kind](size) };
  statements.set(name, statement);
  return statement;
}

/** Returns the text that reads columns of the ranges in key order. `r` is the number of the range. */
function readRanges(size: number, columns: string): string {
  const reads = Array.from({ length: size }, (_, at) => {
    const [fromPk, fromRk, toPk, toRk] = [1, 2, 3, 4].map((part) => `$${fixed + 4 * at + part}::bytea`);
    return `(SELECT ${at} AS r, pk, rk, ${columns} FROM entities WHERE table_id = t.id
 AND (pk, rk) >= (${fromPk}, ${fromRk}) AND (pk, rk) < (${toPk}, ${toRk}) ORDER BY pk, rk LIMIT $3::bigint)`;
  });
  return size === 1 ? reads.join() : `SELECT * FROM (${reads.join('\nUNION ALL ')}) u ORDER BY pk, rk LIMIT $3::bigint`;
}

/** Returns a statement whose rows the client takes until it has enough. */
function findRows(size: number): string {
  return `SELECT t.id, e.ts, e.body FROM tables t
 LEFT JOIN LATERAL (SELECT ts, body FROM (${readRanges(size, 'ts, body')}) s WHERE $4::bigint IS NULL) e ON true
 WHERE t.account = $1 AND t.name_key = $2`;
}

/** The start of a statement: finds the table. */
const findTable = 'WITH t AS MATERIALIZED (SELECT id FROM tables WHERE account = $1 AND name_key = $2)';

/** Returns the rest of a statement that has found the table: its id, and rows. */
function findEntities(rows: string): string {
  return `SELECT id AS ts, NULL::text AS body FROM t
 UNION ALL SELECT e.ts, e.body FROM t, LATERAL (SELECT ts, body FROM (${rows}) s) e`;
}

/** Returns a statement that reads the rows of a page, without the bodies that are too long. */
function findShortRows(size: number): string {
  const columns = 'ts, CASE WHEN octet_length(body) <= $4::bigint THEN body END AS body';
  return `${findTable}
 ${findEntities(readRanges(size, columns))}`;
}

/** Returns a statement that reads the rows of a page up to the bound in bytes. */
function findLongRows(size: number): string {
  // Up to the row before the previous one. So a page also has the row that fills it, and the next one.
  const before = 'OVER (ORDER BY pk, rk ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING)';
  const rows = `SELECT ts, body, coalesce(sum(octet_length(body)) ${before}, 0) AS before
   FROM (${readRanges(size, 'ts, body')}) w`;
  return `${findTable}
 ${findEntities(`SELECT ts, body FROM (${rows}) n WHERE before < $4::bigint`)}`;
}
