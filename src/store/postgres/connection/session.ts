import type pg from 'pg';
import { StoreError } from '../../store-error.js';
import { type DatabaseAddress, nameOf, quoteName } from './database-address.js';
import { capital } from './explain-open-failure.js';

/**
 * The settings that statements rely on, in the form in which the database shows them. The user of the database, the database
 * itself or a pooler may have others. `synchronous_commit` and `default_transaction_read_only` are not here: with them, the
 * operator decides.
 */
const settings: readonly (readonly [name: string, value: string])[] = [
  // The warning of a commit that is not on its standby must arrive.
  ['client_min_messages', 'warning'],
  // Each statement sees what was committed before it.
  ['default_transaction_isolation', 'read committed'],
  ['default_transaction_deferrable', 'off'],
  // How values are written and read.
  ['client_encoding', 'UTF8'],
  ['standard_conforming_strings', 'on'],
  ['bytea_output', 'hex'],
  ['array_nulls', 'on'],
  ['DateStyle', 'ISO, MDY'],
  ['IntervalStyle', 'postgres'],
  ['TimeZone', 'UTC'],
  ['extra_float_digits', '1'],
  ['transform_null_equals', 'off'],
  // A policy would hide rows without a word. With this it is an error.
  ['row_security', 'off'],
  // Every statement looks rows up by index, even in a table without statistics.
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

/** Settings that a supported version of the database may not have. */
const newSettings: readonly string[] = ['transaction_timeout'];

const setting = 'current_setting(name, true)';

/**
 * Checks that the database is one that is served, and gives a new session the settings that statements rely on, and nothing
 * that an earlier user of it has left. `lockTimeout` is how long a statement waits for a lock, as the database shows it.
 *
 * Errors: StoreError if a setting is not as it must be afterwards, with what to do; the database's own.
 */
export async function prepareSession(client: pg.Client, address: DatabaseAddress, lockTimeout = '0'): Promise<void> {
  await checkDatabase(client, address);
  const wanted = [...settings, ['lock_timeout', lockTimeout], ['search_path', quoteName(address.schema)]];
  const rows = wanted.map((pair) => `(${pair.map((text) => client.escapeLiteral(text)).join(', ')})`);
  const values = `(VALUES ${rows.join(', ')}) wanted(name, value)`;
  await client.query(
    `RESET ALL; DEALLOCATE ALL; SELECT set_config(name, value, false) FROM ${values} WHERE ${setting} IS NOT NULL`,
  );
  // In a transaction of its own: a pooler may have led the first one to another session.
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

/** What to do about a pooler that shares sessions. */
export const poolerRemedy =
  'A pooler in between must give each connection a session of its own: in PgBouncer, set pool_mode = session.';

/** The oldest version that the statements are written for. */
const oldestVersion = 14;

/**
 * Databases that speak the protocol and are not served, by what they call themselves. Each of them says what is missing.
 *
 * Source: CockroachDB, issue 13546.
 */
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

/** Checks that a database is one that is served. Errors: StoreError with its name and what is missing; the database's own. */
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
