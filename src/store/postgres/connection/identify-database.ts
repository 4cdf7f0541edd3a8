import type pg from 'pg';
import { StoreError } from '../../store-error.js';
import { type DatabaseAddress, nameOf } from './database-address.js';

/** A database that speaks the protocol of PostgreSQL and is served. */
export interface DatabaseIdentity {
  /** YugabyteDB is served only if it has what statements rely on: see `checkNeeds`. */
  readonly product: 'PostgreSQL' | 'YugabyteDB';
  /** Its version, as it writes it. */
  readonly version: string;
}

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
    /Redshift|Greenplum|Cloudberry|Materialize|RisingWave|QuestDB|CrateDB|CedarDB|openGauss|GaussDB|DuckDB/,
    'It was never tried, and servers rely on row locks, advisory locks and transactions that change the schema.',
  ],
];

/** Asks a database who it is. Errors: StoreError with its name and what is missing, if it is not served; the database's own. */
export async function identifyDatabase(client: pg.Client, address: DatabaseAddress): Promise<DatabaseIdentity> {
  const { rows } = await client.query('SELECT version() AS version');
  const text = String(rows[0]?.version);
  for (const [sign, missing] of foreign) {
    const [product] = sign.exec(text) ?? [];
    if (product !== undefined) throw refusal(product, address, missing);
  }
  const [, version = '', major = '', yugabyte] = /^PostgreSQL ((\d+)\S*?(-YB-\S+)?)(?:[\s,(]|$)/.exec(text) ?? [];
  const product = yugabyte ? 'YugabyteDB' : 'PostgreSQL';
  if (version === '') throw refusal(text.slice(0, 60), address, 'It does not say which version of PostgreSQL it is.');
  if (Number(major) >= oldestVersion) return { product, version };
  throw refusal(`${product} ${yugabyte ? version : major}`, address, 'It is too old for the statements of servers.');
}

function refusal(product: string, address: DatabaseAddress, missing: string): StoreError {
  return new StoreError(
    'other-format',
    `${product} cannot be used for ${nameOf(address)}. ${missing}`,
    `Use PostgreSQL ${oldestVersion} or newer.`,
  );
}
