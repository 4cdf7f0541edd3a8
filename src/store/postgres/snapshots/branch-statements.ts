import { clock, type Statement, withReceipt } from '../schema/statements.js';

/** The parts of a statement that drop the tables, settings and services of accounts. `which` follows the account column in a condition. */
const emptiedAccounts = (which: string): string => `l AS MATERIALIZED (
   SELECT id FROM tables WHERE account ${which} ORDER BY id FOR UPDATE),
 d AS (DELETE FROM tables WHERE id IN (SELECT id FROM l) RETURNING id),
 s AS (DELETE FROM settings WHERE account ${which} RETURNING 1),
 a AS (DELETE FROM accounts WHERE account ${which} RETURNING 1),
 n AS (INSERT INTO dropped (table_id, at) SELECT id, ${clock} FROM d RETURNING 1)`;

/** Proves that all of these parts ran. */
const accountsAreEmptied =
  '(SELECT count(*) FROM n) = (SELECT count(*) FROM d) AND (SELECT count(*) FROM s) + (SELECT count(*) FROM a) >= 0';

/** Ends a branch, with its tables and settings. Parameter: account. Answers [account], or [] if there is none. */
export const endBranch = withReceipt(
  'end-branch',
  1,
  `b AS (UPDATE branches SET ended = now() WHERE account = $1 AND ended IS NULL RETURNING account),
 ${emptiedAccounts('= (SELECT account FROM b)')}`,
  `SELECT coalesce((SELECT json_build_array(account) FROM b), '[]')::text`,
  accountsAreEmptied,
);

/** Removes tables and settings that late requests created in ended branches, and the records of branches that ended a day ago. */
export const sweepEnded: Statement = {
  name: 'sweep-ended',
  text: `WITH b AS MATERIALIZED (SELECT account FROM branches WHERE ended IS NOT NULL),
 ${emptiedAccounts('IN (SELECT account FROM b)')}
 DELETE FROM branches WHERE ended < now() - interval '1 day'`,
};

/** Lists the snapshots, in no order. */
export const listSnapshots: Statement = {
  name: 'list-snapshots',
  text: "SELECT name, at, accounts FROM snapshots WHERE kind = 'named'",
};

/** Replaces the note of a kept state. Parameters: kind, id, note. Answers []. */
export const noteKept = withReceipt(
  'note-kept',
  3,
  'u AS (UPDATE snapshots SET note = $3 WHERE kind = $1 AND name = $2 RETURNING 1)',
  `SELECT '[]'`,
  '(SELECT count(*) FROM u) >= 0',
);

/** Lists the kept states of a kind, in no order. Parameter: kind. */
export const listKept: Statement = {
  name: 'list-kept',
  text: 'SELECT kind, name AS id, at, note FROM snapshots WHERE kind = $1',
};

/** Takes the next number of a call that can be undone. */
export const nextUndo: Statement = { name: 'next-undo', text: "SELECT nextval('undos') AS number" };

/**
 * The lead of the database's clock over a server's, rounded to seconds, so that it is 0 for synchronized clocks. `now` is an expression for
 * the server's time in milliseconds since 1970. Unit: milliseconds.
 */
const clockAhead = (now: string) => `(1000 * round(extract(epoch FROM clock_timestamp()) - ${now} / 1000.0))::bigint`;

/** Lists the active branches, in no order, with their expiry by the server's clock. Parameter: the server's time. */
export const listBranches: Statement = {
  name: 'list-branches',
  text: `SELECT account, source, snapshot, key, expires - ${clockAhead('$1::bigint')} AS expires
 FROM branches WHERE ended IS NULL`,
};

/**
 * Records a branch, with its expiry by the database's clock. Parameters: account, source, snapshot or null, key, expiry by the server's
 * clock, the server's time.
 */
export const noteBranch = `INSERT INTO branches (account, source, snapshot, key, expires)
 VALUES ($1, $2, $3, $4, $5::bigint + ${clockAhead('$6::bigint')})`;
