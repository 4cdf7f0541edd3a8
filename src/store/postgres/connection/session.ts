import type pg from 'pg';
import { StoreError } from '../../store-error.js';
import { type DatabaseAddress, nameOf, quoteName } from './database-address.js';
import { capital } from './explain-open-failure.js';

/**
 * The settings that statements rely on, in the database's notation. The database user, the database itself or a pooler may have others.
 * `synchronous_commit` and `default_transaction_read_only` are up to the operator.
 */
const settings: readonly (readonly [name: string, value: string])[] = [
  // The warning of an unreplicated commit must arrive.
  ['client_min_messages', 'warning'],
  // Each statement sees all earlier commits.
  ['default_transaction_isolation', 'read committed'],
  ['default_transaction_deferrable', 'off'],
  // The format of values.
  ['client_encoding', 'UTF8'],
  ['standard_conforming_strings', 'on'],
  ['bytea_output', 'hex'],
  ['array_nulls', 'on'],
  ['DateStyle', 'ISO, MDY'],
  ['IntervalStyle', 'postgres'],
  ['TimeZone', 'UTC'],
  ['extra_float_digits', '1'],
  ['transform_null_equals', 'off'],
  // With this, a policy that hides rows is an error.
  ['row_security', 'off'],
  // Index lookups, even in a table without statistics.
  ['enable_hashjoin', 'off'],
  ['enable_mergejoin', 'off'],
  ['enable_seqscan', 'off'],
  ['enable_nestloop', 'on'],
  ['enable_indexscan', 'on'],
  ['jit', 'off'],
  ['plan_cache_mode', 'force_generic_plan'],
  ['statement_timeout', '30s'],
  ['idle_in_transaction_session_timeout', '10s'],
  ['idle_session_timeout', '0'],
  ['transaction_timeout', '0'],
];

/** Settings that a supported version of the database may lack. */
const newSettings: readonly string[] = ['transaction_timeout'];

const setting = 'current_setting(name, true)';

/**
 * Checks that the database is supported, resets a new session and applies the settings that statements rely on. `lockTimeout` is the time
 * limit of a statement for a lock, in the database's notation.
 *
 * Errors: StoreError, with the fix, if a setting has no effect; the database's own.
 */
export async function prepareSession(client: pg.Client, address: DatabaseAddress, lockTimeout = '0'): Promise<void> {
  await checkDatabase(client, address);
  const wanted = [...settings, ['lock_timeout', lockTimeout], ['search_path', quoteName(address.schema)]];
  const rows = wanted.map((pair) => `(${pair.map((text) => client.escapeLiteral(text)).join(', ')})`);
  const values = `(VALUES ${rows.join(', ')}) wanted(name, value)`;
  await client.query(
    `RESET ALL; DEALLOCATE ALL; SELECT set_config(name, value, false) FROM ${values} WHERE ${setting} IS NOT NULL`,
  );
  // In a separate transaction, because a pooler may have sent the first one to another session.
  const { rows: others } = await client.query(
    `SELECT name, value, ${setting} AS found FROM ${values} WHERE ${setting} IS DISTINCT FROM value`,
  );
  for (const { name, value, found } of others as { name: string; value: string; found: string | null }[]) {
    if (found === null && newSettings.includes(name)) continue;
    throw new StoreError(
      'no-access',
      `${capital(nameOf(address))} does not keep the setting ${name}: it must be ${value} and is ${found ?? 'missing'}.`,
      `Let the user of the database set ${name}. ${poolerRemedy}`,
    );
  }
}

/** The fix for a pooler that shares sessions. */
export const poolerRemedy =
  'A pooler in between must give each connection a session of its own: in PgBouncer, set pool_mode = session.';

/** The oldest supported version. */
const oldestVersion = 14;

/** Unsupported databases that speak the protocol, by their version text, with the reason. Source: CockroachDB, issue 13546. */
const foreign: readonly (readonly [sign: RegExp, missing: string])[] = [
  [
    /CockroachDB/,
    'It was never tried, and up to 2026 its advisory locks did nothing: servers would change the schema at once.',
  ],
  [
    /Redshift|Greenplum|Cloudberry|Materialize|RisingWave|YugabyteDB|QuestDB|CrateDB|CedarDB|openGauss|GaussDB|DuckDB/,
    'It was never tried, and servers rely on row locks, advisory locks and transactions that change the schema.',
  ],
];

/** Checks that a database is supported. Errors: StoreError with its name and the reason; the database's own. */
export async function checkDatabase(client: pg.Client, address: DatabaseAddress): Promise<void> {
  const { rows } = await client.query('SELECT version() AS version');
  const text = String(rows[0]?.version).replace(/^PostgreSQL (\S*-YB-)/, 'YugabyteDB $1');
  for (const [sign, missing] of foreign) {
    const [product] = sign.exec(text) ?? [];
    if (product !== undefined) throw rejection(product, address, missing);
  }
  const [, major] = /^PostgreSQL (\d+)/.exec(text) ?? [];
  if (major === undefined)
    throw rejection(text.slice(0, 60), address, 'It does not say which version of PostgreSQL it is.');
  if (Number(major) >= oldestVersion) return;
  throw rejection(`PostgreSQL ${major}`, address, 'It is too old for the statements of servers.');
}

function rejection(product: string, address: DatabaseAddress, missing: string): StoreError {
  return new StoreError(
    'other-format',
    `${product} cannot be used for ${nameOf(address)}. ${missing}`,
    `Use PostgreSQL ${oldestVersion} or newer.`,
  );
}
