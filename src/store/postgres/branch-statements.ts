import { clock, type Statement, withReceipt } from './statements.js';

/** Ends a branch, with its tables and settings. Parameter: account. Answers [account], or [] if there is none. */
export const endBranch = withReceipt(
  'end-branch',
  1,
  `b AS (UPDATE branches SET ended = now() WHERE account = $1 AND ended IS NULL RETURNING account),
 l AS MATERIALIZED (SELECT id FROM tables WHERE account = (SELECT account FROM b) ORDER BY id FOR UPDATE),
 d AS (DELETE FROM tables WHERE id IN (SELECT id FROM l) RETURNING id),
 s AS (DELETE FROM settings WHERE account = (SELECT account FROM b) RETURNING 1),
 a AS (DELETE FROM accounts WHERE account = (SELECT account FROM b)),
 n AS (INSERT INTO dropped (table_id, at) SELECT id, ${clock} FROM d RETURNING 1)`,
  `SELECT coalesce((SELECT json_build_array(account) FROM b), '[]')::text`,
  '(SELECT count(*) FROM n) = (SELECT count(*) FROM d) AND (SELECT count(*) FROM s) >= 0',
);

/**
 * Removes tables and settings that requests have made in branches after these ended, and the notes of branches that ended long
 * ago: no request can be that late.
 */
export const sweepEnded: Statement = {
  name: 'sweep-ended',
  text: `WITH b AS MATERIALIZED (SELECT account FROM branches WHERE ended IS NOT NULL),
 l AS MATERIALIZED (SELECT id FROM tables WHERE account IN (SELECT account FROM b) ORDER BY id FOR UPDATE),
 d AS (DELETE FROM tables WHERE id IN (SELECT id FROM l) RETURNING id),
 n AS (INSERT INTO dropped (table_id, at) SELECT id, ${clock} FROM d),
 s AS (DELETE FROM settings WHERE account IN (SELECT account FROM b)),
 a AS (DELETE FROM accounts WHERE account IN (SELECT account FROM b))
 DELETE FROM branches WHERE ended < now() - interval '1 day'`,
};

/** Lists the snapshots, in no order. */
export const listSnapshots: Statement = {
  name: 'list-snapshots',
  text: 'SELECT name, at, accounts FROM snapshots',
};

/** Lists the branches that have not ended, in no order. */
export const listBranches: Statement = {
  name: 'list-branches',
  text: 'SELECT account, source, snapshot, key, expires FROM branches WHERE ended IS NULL',
};
