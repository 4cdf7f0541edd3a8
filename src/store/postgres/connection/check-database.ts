import type pg from 'pg';
import { StoreError } from '../../store-error.js';
import { type DatabaseAddress, nameOf } from './database-address.js';

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
    if (product !== undefined) throw refusal(product, address, missing);
  }
  const [, major] = /^PostgreSQL (\d+)/.exec(text) ?? [];
  if (major === undefined)
    throw refusal(text.slice(0, 60), address, 'It does not say which version of PostgreSQL it is.');
  if (Number(major) >= oldestVersion) return;
  throw refusal(`PostgreSQL ${major}`, address, 'It is too old for the statements of servers.');
}

function refusal(product: string, address: DatabaseAddress, missing: string): StoreError {
  return new StoreError(
    'other-format',
    `${product} cannot be used for ${nameOf(address)}. ${missing}`,
    `Use PostgreSQL ${oldestVersion} or newer.`,
  );
}
