import type { EntityText } from '../../entity/entity.js';
import type { KeyRange } from '../../query/plan.js';
import { encodeRange, type KeyPlace } from './keys.js';
import type { TableName } from './look-ups.js';
import { textOf } from './stamps.js';
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

/** Number of rows in a packed text. The database takes new memory from the system for a text above 128 KB, each time. */
const packedRows = 64;

/** The most rows of a packed text: the first one has two more. So the database knows that there are few, and sorts nothing. */
const packedMax = packedRows + 2;

/** Returns the entities of a packed text. Each of its rows is a stamp, and a body, which begins with a quote. */
export function unpackRows(packed: string): readonly EntityText[] {
  return packed.split(rowEnd).map((row) => {
    const at = row.indexOf('"');
    return textOf(row.slice(at), row.slice(0, at));
  });
}

/** The parameters before the places of the ranges. */
const fixed = 4;

/**
 * Returns the statement that reads ranges of a table in key order, and its parameters. `rowsMax` bounds the rows and
 * `bytesMax` the bytes; absent, there is no bound.
 *
 * Without bounds, columns are: id of the table, stamp, body. One row without a stamp: the table has no such row. With
 * bounds, there is one column: first the id of the table, then texts of some rows each, which `unpackRows` reads. No row:
 * the table is missing. At most `rangesMax` ranges. Statements exist for 1, 2, 4, 8 and 16 ranges, so that a connection
 * prepares few.
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
  const kind = bounds ? (bounds.rowsMax <= packedMax ? 'few' : 'page') : 'rows';
  return {
    statement: statementOf(kind, size),
    values: [...values, ...places.flatMap(({ from, to }) => [...from, ...to])],
  };
}

/** What writes the text of a statement for a number of ranges: all rows, a page, a page of few rows. */
const writers = { rows: findRows, page: packRows, few: packFewRows } as const;

const statements = new Map<string, Statement>();

function statementOf(kind: keyof typeof writers, size: number): Statement {
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

/** A window: all rows up to the one before the previous row. So a page also has the row that fills it, and the next one. */
const before = 'OVER (ORDER BY pk, rk ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING)';

/** Makes a text of rows. */
const packedText = `string_agg(ts || body, '${rowEnd}')`;

/** Returns a statement that packs rows up to the bound in bytes into one text. */
function packFewRows(size: number): string {
  return `${findTable}
 SELECT id::text FROM t
 UNION ALL SELECT e.packed FROM t, LATERAL (
 SELECT ${packedText} AS packed FROM (SELECT ts, body, coalesce(sum(octet_length(body)) ${before}, 0) AS before
   FROM (${readRanges(size, 'ts, body')}) w) n
  WHERE before < $4::bigint HAVING count(*) > 0) e`;
}

/**
 * Returns a statement that packs rows up to the bound in bytes into texts: the client reads them ten times as fast.
 *
 * It reads the rows twice. First it finds out where each text begins and how many rows it has, by the keys and lengths of
 * the rows alone. To carry the bodies through that would take longer than to read them again, if there are many.
 */
function packRows(size: number): string {
  // Where a range begins within a text, another text begins.
  const first = size === 1 ? ` FILTER (WHERE number % ${packedRows} = 0)` : '';
  return `${findTable}
 SELECT id::text FROM t
 UNION ALL SELECT e.packed FROM t, LATERAL (
 SELECT p.packed FROM (SELECT min(ARRAY[pk, rk])${first} AS start, count(*) AS rows FROM (
   SELECT r, pk, rk, count(*) ${before} AS number, coalesce(sum(bytes) ${before}, 0) AS before
   FROM (${readRanges(size, 'octet_length(body) AS bytes')}) w) n
  WHERE before < $4::bigint GROUP BY r, number / ${packedRows} ORDER BY start) k,
 LATERAL (SELECT ${packedText} AS packed FROM (
  SELECT * FROM (SELECT ts, body FROM entities WHERE table_id = t.id AND (pk, rk) >= (k.start[1], k.start[2])
   ORDER BY pk, rk LIMIT ${packedMax}) f LIMIT k.rows) b) p) e`;
}
