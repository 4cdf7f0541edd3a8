import type pg from 'pg';
import { StoreError } from '../../store-error.js';
import { type DatabaseAddress, nameOf, quoteName } from '../connection/database-address.js';
import { checkRights } from './check-rights.js';
import { schema, schemaVersion } from './schema.js';

/** The advisory lock that lets servers create the schema one after another. Any number that no other program uses. */
const lock = 7_462_618;

/** The encodings that take every text. In another one, a name that it does not have fails the reads of others, too. */
const encodings: readonly string[] = ['UTF8', 'SQL_ASCII'];

/**
 * Makes the schema and its tables, in one transaction, or finds that it has them. That of a newer or an unreleased version is rejected.
 *
 * Errors: StoreError, with what to do; the database's own.
 */
export async function createSchema(client: pg.Client, address: DatabaseAddress): Promise<void> {
  await checkServer(client, address);
  await checkRights(client, address);
  await client.query('BEGIN');
  try {
    // Several servers may start at once, and CREATE … IF NOT EXISTS fails if another one creates the same.
    await client.query('SELECT pg_advisory_xact_lock($1)', [lock]);
    const version = await readVersion(client, address);
    if (version === undefined) {
      if (!(await hasSchema(client, address))) await client.query(`CREATE SCHEMA ${quoteName(address.schema)}`);
      await client.query(
        `${schema}; CREATE TABLE format (version int NOT NULL); INSERT INTO format VALUES (${schemaVersion})`,
      );
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * Returns the version of the schema; undefined if there is none.
 *
 * Errors: StoreError if another version made it.
 */
export async function readVersion(client: pg.Client, address: DatabaseAddress): Promise<number | undefined> {
  const { rows } = await client.query("SELECT to_regclass('format') IS NOT NULL AS found");
  if (rows[0].found !== true) return undefined;
  const { version } = (await client.query('SELECT version FROM format')).rows[0] as { version: number };
  if (version === schemaVersion) return version;
  throw new StoreError(
    'other-format',
    `Another version of Tabularium made ${nameOf(address)}: its format is ${version}, and this version knows ${schemaVersion}.`,
    'Start that version, export with it and import with this one, or use another --databaseSchema.',
  );
}

/** Checks the server. Errors: StoreError if it is of another encoding, or a standby. */
export async function checkServer(client: pg.Client, address: DatabaseAddress): Promise<void> {
  const { rows } = await client.query(
    "SELECT current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS standby",
  );
  const { encoding, standby } = rows[0] as { encoding: string; standby: boolean };
  if (!encodings.includes(encoding)) {
    throw new StoreError(
      'other-format',
      `The encoding ${encoding} cannot hold every text in ${nameOf(address)}.`,
      "Create the database with ENCODING 'UTF8'.",
    );
  }
  if (standby) {
    throw new StoreError(
      'no-access',
      `The server of ${nameOf(address)} is a standby, which takes no writes.`,
      'Use the address of the primary.',
    );
  }
}

async function hasSchema(client: pg.Client, { schema }: DatabaseAddress): Promise<boolean> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  return rowCount === 1;
}
