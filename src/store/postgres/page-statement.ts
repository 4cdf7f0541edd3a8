import type { KeyRange } from '../../query/plan.js';
import { encodeRange, type KeyPlace } from './keys.js';
import type { TableName } from './look-ups.js';
import type { Statement } from './statements.js';

/** The most ranges that one statement reads. */
export const rangesMax = 16;

/** A range without rows. It fills a statement that reads more ranges than a page has. */
const nothing: { readonly from: KeyPlace; readonly to: KeyPlace } = encodeRange({
  from: { partitionKey: '', side: 'before' },
  to: { partitionKey: '', side: 'before' },
});

/** Separates packed rows. A text in JSON has no line break of its own. */
const rowEnd = '\n';

/** A row as `unpackRows` returns it. */
export interface UnpackedRow {
  readonly ts: string;
  readonly body: string;
}

/** Returns the rows of a packed text: each is a stamp, and a body, which begins with a quote. */
export function unpackRows(packed: string): readonly UnpackedRow[] {
  return packed.split(rowEnd).map((row) => {
    const at = row.indexOf('"');
    return { ts: row.slice(0, at), body: row.slice(at) };
  });
}

/** The parameters before the places of the ranges. */
const fixed = 4;

/**
 * Returns the statement that reads ranges of a table in key order, and its parameters. `rowsMax` bounds the rows and
 * `bytesMax` the bytes; absent, there is no bound.
 *
 * Without bounds, columns are: id of the table, stamp, body. One row without a stamp: the table has no such row. With
 * bounds, there is one row: the id of the table, and the rows as one text, which `unpackRows` reads; null if there are
 * none. No row: the table is missing. At most `rangesMax` ranges. Statements exist for 1, 2, 4, 8 and 16 ranges, so that
 * a connection prepares few.
 */
export function pageStatement(
  { account, name }: TableName,
  ranges: readonly KeyRange[],
  bounds?: { readonly rowsMax: number; readonly bytesMax: number },
): { readonly statement: Statement; readonly values: unknown[] } {
  let size = 1;
  while (size < ranges.length) size *= 2;
  const places = Array.from({ length: size }, (_, at) => {
    const range = ranges[at];
    return range ? encodeRange(range) : nothing;
  });
  const values = [account, name, bounds?.rowsMax ?? null, bounds?.bytesMax ?? null];
  return {
    statement: statementOf(size, bounds !== undefined),
    values: [...values, ...places.flatMap(({ from, to }) => [...from, ...to])],
  };
}

const statements = new Map<string, Statement>();

function statementOf(size: number, isBounded: boolean): Statement {
  const name = `read-${isBounded ? 'page' : 'rows'}-${size}`;
  const statement = statements.get(name) ?? { name, text: writeText(size, isBounded) };
  statements.set(name, statement);
  return statement;
}

function writeText(size: number, isBounded: boolean): string {
  const reads = Array.from({ length: size }, (_, at) => {
    const [fromPk, fromRk, toPk, toRk] = [1, 2, 3, 4].map((part) => `$${fixed + 4 * at + part}::bytea`);
    return `(SELECT pk, rk, ts, body FROM entities WHERE table_id = t.id
 AND (pk, rk) >= (${fromPk}, ${fromRk}) AND (pk, rk) < (${toPk}, ${toRk}) ORDER BY pk, rk LIMIT $3::bigint)`;
  });
  const rows = `SELECT pk, rk, ts, body FROM (${reads.join('\nUNION ALL ')}) r ORDER BY pk, rk LIMIT $3::bigint`;
  const read = isBounded ? pack(rows) : `SELECT ts, body FROM (${rows}) s WHERE $4::bigint IS NULL`;
  return `SELECT t.id, ${isBounded ? 'e.packed' : 'e.ts, e.body'} FROM tables t LEFT JOIN LATERAL (${read}) e ON true
 WHERE t.account = $1 AND t.name_key = $2`;
}

/** Returns a statement that packs rows up to the bound in bytes into one text: the client reads it ten times as fast. */
function pack(rows: string): string {
  // Bytes of all rows up to the one before the previous row. So a page also has the row that fills it, and the next one.
  const before = `coalesce(sum(octet_length(body)) OVER (ORDER BY pk, rk
 ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING), 0)`;
  return `SELECT string_agg(ts || body, '${rowEnd}') AS packed FROM (
 SELECT ts, body FROM (SELECT pk, rk, ts, body, ${before} AS before FROM (${rows}) w) s
 WHERE before < $4::bigint ORDER BY pk, rk) p`;
}
