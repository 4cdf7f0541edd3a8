/** A statement that each connection prepares once, by name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** The database's clock in ticks of 100 ns since 1601, with microsecond resolution. All servers use it for stamps. */
export const clock = '((extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 10 + 116444736000000000)';

/**
 * Builds a statement that leaves a receipt. `parts` are its common table expressions, and `answer` the text of its answer, never null. The
 * last two parameters are the writer and the number of the write.
 *
 * All or nothing: if `proof` is false, or the number is not the writer's next, a division by zero rolls everything back. `end` is an
 * expression to evaluate after the writes and the proof.
 */
export function withReceipt(
  name: string,
  parameters: number,
  parts: string,
  answer: string,
  proof: string,
  end?: string,
): Statement {
  const [writer, seq] = [`$${parameters + 1}::bigint`, `$${parameters + 2}::bigint`];
  return {
    name,
    text: `WITH ${parts},
 receipt AS (UPDATE writers SET seq = ${seq}, answer = (${answer}), seen = now()
   WHERE id = ${writer} AND seq = ${seq} - 1 RETURNING answer)
 SELECT (SELECT answer FROM receipt) AS answer,
  1 / ((SELECT count(*) FROM receipt) = 1 AND (${proof}))::int AS ok${end ? `,\n  ${end} AS ended` : ''}`,
  };
}

/**
 * Creates a table, and stores the service of its account, null for a storage account. Parameters: account, key, name, lowest creation time,
 * order of the rows or null, service, whether names are exact.
 *
 * Answers [id, created], [] if it exists, or [service] if the account belongs to another service.
 */
export const createTable = withReceipt(
  'create-table',
  7,
  `o AS MATERIALIZED (SELECT service FROM accounts WHERE account = $1 AND service IS DISTINCT FROM $6),
 a AS (INSERT INTO accounts (account, service, exact_names) SELECT $1, $6, $7 WHERE $6 IS NOT NULL
   ON CONFLICT (account) DO NOTHING RETURNING 1),
 i AS (INSERT INTO tables (account, name_key, name, created, policies, row_order)
   SELECT $1, $2, $3, greatest(${clock}, $4::bigint), '[]', $5 WHERE NOT EXISTS (SELECT FROM o)
   ON CONFLICT (account, name_key) DO NOTHING
   RETURNING id::text AS id, created::text AS created)`,
  `SELECT coalesce((SELECT json_build_array(id, created) FROM i), (SELECT json_build_array(service) FROM o), '[]')::text`,
  '(SELECT count(*) FROM a) >= 0',
);

/** Reads the service of an account. Parameter: account. Without a service, `used` is whether the account has tables. */
export const findService: Statement = {
  name: 'find-service',
  text: `SELECT (SELECT service FROM accounts WHERE account = $1) AS service,
 EXISTS (SELECT FROM tables WHERE account = $1) AS used`,
};

/** Drops a table. Parameters: account, key. Answers [name, created], or [] if it is missing. */
export const dropTable = withReceipt(
  'drop-table',
  2,
  `d AS (DELETE FROM tables WHERE account = $1 AND name_key = $2 RETURNING id, name, created::text AS created),
 n AS (INSERT INTO dropped (table_id, at) SELECT id, ${clock} FROM d RETURNING 1)`,
  `SELECT coalesce((SELECT json_build_array(name, created) FROM d), '[]')::text`,
  '(SELECT count(*) FROM n) = (SELECT count(*) FROM d)',
);

/** Replaces the policies of a table. Parameters: account, key, id or null for any, policies. Answers [id] or []. */
export const writePolicies = withReceipt(
  'write-policies',
  4,
  `u AS (UPDATE tables SET policies = $4 WHERE account = $1 AND name_key = $2 AND id = coalesce($3::bigint, id)
   RETURNING id::text AS id)`,
  `SELECT coalesce((SELECT json_build_array(id) FROM u), '[]')::text`,
  'true',
);

/** Replaces some settings of an account. Parameters: account, names, values. */
export const writeSettings = withReceipt(
  'write-settings',
  3,
  `s AS (INSERT INTO settings (account, name, value)
   SELECT $1, q.name, q.value FROM unnest($2::text[], $3::text[]) q(name, value)
   ON CONFLICT (account, name) DO UPDATE SET value = excluded.value RETURNING 1)`,
  `SELECT '[]'`,
  '(SELECT count(*) FROM s) = cardinality($2::text[])',
);

/** Leaves a receipt, and changes nothing else. */
export const noteReceipt = withReceipt('note-receipt', 0, 'n AS (SELECT 1)', `SELECT '[]'`, 'true');

/** Ends a transaction. */
export const commitTransaction: Statement = { name: 'commit', text: 'COMMIT' };

/** Takes the number of a write, so that it can no longer succeed, unless it has. Parameters: writer, number. */
export const takeNumber: Statement = {
  name: 'take-number',
  text: 'UPDATE writers SET seq = $2, answer = NULL, seen = now() WHERE id = $1 AND seq = $2::bigint - 1',
};

/** Reads the receipt of a write. Parameters: writer, number. No row: unknown outcome. A null answer: no effect. */
export const readReceipt: Statement = {
  name: 'read-receipt',
  text: 'SELECT answer FROM writers WHERE id = $1 AND seq = $2',
};

/** Marks a writer as seen. Its commit waits for the synchronous standby, so that has all earlier commits, too. Parameter: writer. */
export const touchWriter: Statement = {
  name: 'touch-writer',
  text: 'UPDATE writers SET seen = now() WHERE id = $1',
};

/** Registers a writer, which replaces another one. Parameters: writer, the other one or null. */
export const registerWriter: Statement = {
  name: 'register-writer',
  text: `WITH gone AS (DELETE FROM writers WHERE id = $2)
 INSERT INTO writers (id, seq, seen) VALUES ($1, 0, now())`,
};

/** Removes old receipts of ended connections. */
export const forgetWriters: Statement = {
  name: 'forget-writers',
  text: "DELETE FROM writers WHERE seen < now() - interval '7 days'",
};

/**
 * Reads entities, the ids of their tables, and settings of accounts in one snapshot. Parameters: accounts, names and both keys of the
 * entities; the other accounts.
 *
 * One row per entity, with its position: without an id the table is missing, without a stamp the entity is. One row at position 0 per
 * setting: the account as the name, and a member of a JSON object as the body. The same without a body for an ended branch.
 *
 * The LIMIT keeps the database from reading all rows of a table, which it prefers for tables that look small.
 */
export const readEntities: Statement = {
  name: 'read-entities',
  text: `SELECT q.n::int AS n, t.id, t.name, e.ts, e.body
 FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[]) WITH ORDINALITY q(account, name, pk, rk, n)
 LEFT JOIN tables t ON t.account = q.account AND t.name_key = q.name
 LEFT JOIN LATERAL (SELECT ts, body FROM entities
   WHERE table_id = t.id AND pk = q.pk AND rk = q.rk LIMIT 1) e ON true
 UNION ALL
 SELECT 0, NULL, account, NULL, to_json(name)::text || ':' || value FROM settings WHERE account = ANY ($5::text[])
 UNION ALL
 SELECT 0, NULL, account, NULL, NULL FROM branches WHERE account = ANY ($5::text[]) AND ended IS NOT NULL`,
};

/**
 * Finds entities that other sessions have locked, themselves or their tables, without waiting. Parameters: accounts, names and both keys.
 * Answers their positions. Takes locks until the end of the transaction.
 */
export const findLockedRows: Statement = {
  name: 'find-locked-rows',
  text: `WITH q AS MATERIALIZED (SELECT q.n::int AS n, t.id, q.pk, q.rk
   FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[]) WITH ORDINALITY q(account, name, pk, rk, n)
   JOIN tables t ON t.account = q.account AND t.name_key = q.name),
 t AS MATERIALIZED (SELECT id FROM tables WHERE id IN (SELECT id FROM q) FOR KEY SHARE SKIP LOCKED),
 e AS MATERIALIZED (SELECT e.table_id, e.pk, e.rk FROM entities e
   WHERE (e.table_id, e.pk, e.rk) IN (SELECT id, pk, rk FROM q) FOR UPDATE SKIP LOCKED)
 SELECT n FROM q WHERE id NOT IN (SELECT id FROM t)
   OR (EXISTS (SELECT FROM entities x WHERE (x.table_id, x.pk, x.rk) = (q.id, q.pk, q.rk))
     AND NOT EXISTS (SELECT FROM e WHERE (e.table_id, e.pk, e.rk) = (q.id, q.pk, q.rk)))`,
};

/** Reads tables. Parameters: accounts, names. One row each; without an id the table is missing. */
export const readTables: Statement = {
  name: 'read-tables',
  text: `SELECT q.n::int AS n, t.id, t.name, t.created, t.policies
 FROM unnest($1::text[], $2::text[]) WITH ORDINALITY q(account, name, n)
 LEFT JOIN tables t ON t.account = q.account AND t.name_key = q.name`,
};

/** Lists the tables of an account, in no order. Parameter: account. */
export const listTables: Statement = {
  name: 'list-tables',
  text: 'SELECT name, created FROM tables WHERE account = $1',
};

/** Whether no snapshot has the rows of a dropped table. The database reads the ids of all snapshots once. */
const isUnused = 'd.table_id NOT IN (SELECT unnest(ids) FROM snapshots)';

/**
 * Removes rows of one dropped table, and its marker after the last row. Servers skip a table that another one sweeps. Parameters: the
 * number of rows; the lowest table, and the keys in it to resume at. Answers the table and the keys for the next call, null after the last
 * row; no row after the last table.
 *
 * A sweep resumes at its last position, because removed rows slow a scan down as long as an old transaction is open.
 */
export const sweepDropped: Statement = {
  name: 'sweep-dropped',
  text: `WITH t AS MATERIALIZED (SELECT table_id, CASE WHEN table_id = $2::bigint THEN $3::bytea ELSE '' END AS pk,
   CASE WHEN table_id = $2::bigint THEN $4::bytea ELSE '' END AS rk
   FROM dropped d WHERE table_id >= $2::bigint AND ${isUnused} ORDER BY table_id LIMIT 1 FOR UPDATE SKIP LOCKED),
 s AS MATERIALIZED (SELECT e.table_id, e.pk, e.rk FROM t JOIN entities e
   ON e.table_id = t.table_id AND (e.pk, e.rk) >= (t.pk, t.rk) ORDER BY e.pk, e.rk LIMIT $1),
 g AS (DELETE FROM entities WHERE (table_id, pk, rk) IN (SELECT table_id, pk, rk FROM s)),
 n AS (DELETE FROM dropped WHERE table_id = (SELECT table_id FROM t) AND NOT EXISTS (SELECT FROM s)),
 l AS (SELECT pk, rk || '\\x00' AS rk FROM s ORDER BY s.pk DESC, s.rk DESC LIMIT 1)
 SELECT t.table_id, l.pk, l.rk FROM t LEFT JOIN l ON true`,
};

/** Counts the dropped tables to sweep. */
export const countDropped: Statement = {
  name: 'count-dropped',
  text: `SELECT count(*)::int AS dropped FROM dropped d WHERE ${isUnused}`,
};
