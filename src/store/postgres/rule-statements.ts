import { type Statement, withReceipt } from './schema/statements.js';

/** What is read of a rule. The database's clock decides whether it has ended. */
const columns = `number, rule, matched, hits, (extract(epoch FROM ends) * 1000)::float8 AS ends_at,
 (extract(epoch FROM ends - clock_timestamp()) * 1000)::float8 AS remaining_ms,
 (ends <= clock_timestamp() OR hits >= coalesce(times, hits + 1)) AS ended`;

/** The channel on which servers hear that rules have changed. Its messages are names of schemas. */
export const ruleChannel = 'tabularium_rules';

/** The first key of the advisory locks by which servers show which version of the rules they apply; the second is the version. */
const lockKey = "hashtext('tabularium rules ' || current_schema())";

/** Reads the version of the rules, and all rules. Without any there is one row, whose number is null. */
export const readRules: Statement = {
  name: 'read-rules',
  text: `SELECT version, ${columns} FROM fault_version LEFT JOIN fault_rules ON true ORDER BY number`,
};

/** Begins a change of the rules, which holds up others until its end. Answers the new version, which fits the key of a lock. */
export const nextVersion = 'UPDATE fault_version SET version = version % 2000000000 + 1 RETURNING version';

/** Reads all rules, which are not counted until the end of the transaction. */
export const holdRules = `SELECT ${columns} FROM fault_rules ORDER BY number FOR UPDATE`;

/** Removes rules. Parameter: numbers. */
export const removeRules = 'DELETE FROM fault_rules WHERE number = ANY ($1::bigint[])';

/** Adds rules. Parameters: texts, times or null, how many milliseconds they last. Answers them in order. */
export const addRules = `INSERT INTO fault_rules (rule, times, ends)
 SELECT q.rule, q.times, clock_timestamp() + make_interval(secs => q.lasts / 1000)
 FROM unnest($1::text[], $2::bigint[], $3::float8[]) WITH ORDINALITY q(rule, times, lasts, n) ORDER BY q.n
 RETURNING ${columns}`;

/** Tells all servers that listen, at the end of the transaction. */
export const tellChange = `SELECT pg_notify('${ruleChannel}', current_schema())`;

/**
 * Counts requests for rules that have not ended. Parameters: numbers, requests that match, requests that are to get the
 * fault. Answers for each rule that has not ended its number, both counts before, and how many may get the fault.
 *
 * The rows are locked in order, so two servers never wait for each other.
 */
export const countRules = withReceipt(
  'count-rules',
  3,
  `l AS MATERIALIZED (SELECT f.number, f.matched, f.hits, q.matches, least(q.hits, coalesce(f.times - f.hits, q.hits)) AS granted
   FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) q(number, matches, hits) JOIN fault_rules f ON f.number = q.number
   WHERE f.ends > clock_timestamp() AND f.hits < coalesce(f.times, f.hits + 1) ORDER BY f.number FOR UPDATE OF f),
 u AS (UPDATE fault_rules f SET matched = f.matched + l.matches, hits = f.hits + l.granted
   FROM l WHERE f.number = l.number RETURNING 1)`,
  `SELECT coalesce(json_agg(concat_ws(' ', number, matched, hits, granted)), '[]')::text FROM l`,
  '(SELECT count(*) FROM u) = (SELECT count(*) FROM l)',
);

/** Hears of changes from now on. */
export const listenToChanges: Statement = { name: 'listen-to-changes', text: `LISTEN ${ruleChannel}` };

/** Shows that the server applies a version of the rules. Parameters: the version, the one before it or null. */
export const showVersion: Statement = {
  name: 'show-version',
  text: `SELECT pg_advisory_lock_shared(${lockKey}, $1::int),
 CASE WHEN $2::int IS NOT NULL THEN pg_advisory_unlock_shared(${lockKey}, $2::int) END`,
};

/** Counts the servers that apply an older version. Parameter: the version. */
export const countOlder: Statement = {
  name: 'count-older',
  text: `SELECT count(*)::int AS older FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2
 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
 AND classid::bigint = ${lockKey}::bigint & 4294967295 AND objid::bigint < $1::bigint`,
};
