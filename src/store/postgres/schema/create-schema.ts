import type pg from 'pg';
import { StoreError } from '../../store-error.js';
import { type DatabaseAddress, nameOf, quoteName } from '../connection/database-address.js';

/** The advisory lock for creating the schema. Any number that no other program uses. */
const lock = 7_462_618;

/** The encodings for all text. In others, a name with an unsupported character fails every read in its batch. */
const encodings: readonly string[] = ['UTF8', 'SQL_ASCII'];

/**
 * Creates the schema and its tables in one transaction, unless they exist. Errors: StoreError, with the fix, also for the schema of another
 * version; the database's own.
 */
export async function createSchema(client: pg.Client, address: DatabaseAddress): Promise<void> {
  await checkServer(client, address);
  await checkRights(client, address);
  await client.query('BEGIN');
  try {
    // Several servers may start at once, and CREATE … IF NOT EXISTS fails in a race.
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

/** Returns the version of the schema; undefined if there is none. Errors: StoreError for another version. */
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

/** Checks the server. Errors: StoreError if it is a standby, or has another encoding. */
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

interface Rights {
  readonly user: string;
  readonly database: string;
  readonly has_schema: boolean;
  readonly has_tables: boolean;
  readonly may_create_schema: boolean;
  readonly may_use: boolean;
  readonly may_create: boolean;
  readonly may_write: boolean;
  readonly may_count: boolean;
}

/** Reads the privileges of the user, from catalogs without access control. */
const readRights = `SELECT current_user AS user, current_database() AS database,
 n.oid IS NOT NULL AS has_schema,
 EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid AND relname = 'format') AS has_tables,
 has_database_privilege(current_database(), 'CREATE') AS may_create_schema,
 coalesce(has_schema_privilege(n.oid, 'USAGE'), true) AS may_use,
 coalesce(has_schema_privilege(n.oid, 'CREATE'), true) AS may_create,
 NOT EXISTS (SELECT FROM pg_class c, unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) wanted
   WHERE c.relnamespace = n.oid AND c.relkind = 'r' AND NOT has_table_privilege(c.oid, wanted)) AS may_write,
 NOT EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind = 'S'
   AND NOT CASE c.relkind WHEN 'S' THEN has_sequence_privilege(c.oid, 'USAGE') END) AS may_count
 FROM (SELECT $1::text AS name) s LEFT JOIN pg_namespace n ON n.nspname = s.name`;

/** Returns the statements that grant the database user its missing privileges on a schema. */
async function findMissingGrants(client: pg.Client, { schema }: DatabaseAddress): Promise<readonly string[]> {
  const rights = (await client.query(readRights, [schema])).rows[0] as Rights;
  const to = `TO ${quoteName(rights.user)}`;
  if (!rights.has_schema) {
    return rights.may_create_schema ? [] : [`GRANT CREATE ON DATABASE ${quoteName(rights.database)} ${to}`];
  }
  // Only the first start creates tables.
  const mayCreate = rights.may_create || rights.has_tables;
  const onSchema = [...(rights.may_use ? [] : ['USAGE']), ...(mayCreate ? [] : ['CREATE'])].join(', ');
  const inSchema = `IN SCHEMA ${quoteName(schema)} ${to}`;
  return [
    ...(onSchema === '' ? [] : [`GRANT ${onSchema} ON SCHEMA ${quoteName(schema)} ${to}`]),
    ...(rights.may_write ? [] : [`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES ${inSchema}`]),
    ...(rights.may_count ? [] : [`GRANT USAGE ON ALL SEQUENCES ${inSchema}`]),
  ];
}

/** Checks the privileges of the database user. Errors: StoreError with the missing grants. */
export async function checkRights(client: pg.Client, address: DatabaseAddress): Promise<void> {
  const missing = await findMissingGrants(client, address);
  if (missing.length === 0) return;
  throw new StoreError(
    'no-access',
    `The user of the database may not use ${nameOf(address)}.`,
    `Run as an owner: ${missing.join('; ')}.`,
  );
}

/** The version of the schema, in the table `format`. */
export const schemaVersion = 1;

/**
 * Creates the tables of the schema. Released versions change in steps, because servers of two versions run side by side during an upgrade:
 * add first, use in the next version, remove in the one after.
 *
 * - `tables`: one row per table. Only an undo reuses an `id`, for the same rows, so the rows of a dropped table can be removed later.
 * - `entities`: one row per entity of all tables. `ts` is Timestamp and ETag, in 100 ns ticks since 1601; `body` is the
 *   entity's text without them.
 * - `dropped`: tables whose rows are yet to be removed.
 * - `settings`: the service properties of accounts, one row per explicit setting.
 * - `writers`: the receipt of each writing connection: the number and the answer of its last write.
 * - `accounts`: the accounts that are not storage accounts, with their services.
 * - `entities.place` and the sequence `places`: the ordinals of rows in tables with `row_order`. It is null in other tables, whose rows are
 *   in neither of the two indexes.
 * - `snapshots`: states of accounts as JSON. `ids` has the ids of their rows, which are copies, or rows of dropped tables that stay as long
 *   as a snapshot has their id. `kind` is `named` for snapshots of users, and the purpose for others, with `note`, their caller's data. The
 *   sequence `undos` numbers the calls that can be undone.
 * - `branches`: throw-away accounts. They expire by the database's clock, in milliseconds since 1970. Ended ones stay for a day, so that
 *   every server notices.
 *
 * Texts are compared in Node or only for equality, so collations do not matter.
 */
export const schema = `CREATE TABLE tables (
  account text NOT NULL,
  name_key text NOT NULL,
  name text NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  created bigint NOT NULL,
  policies text NOT NULL,
  row_order text,
  PRIMARY KEY (account, name_key));
CREATE TABLE entities (
  table_id bigint NOT NULL,
  pk bytea NOT NULL,
  rk bytea NOT NULL,
  ts bigint NOT NULL,
  body text NOT NULL,
  place bigint,
  PRIMARY KEY (table_id, pk, rk))
  WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02);
CREATE SEQUENCE places;
CREATE INDEX entities_by_place ON entities (table_id, place) WHERE place IS NOT NULL;
CREATE INDEX entities_by_partition_place ON entities (table_id, pk, place) WHERE place IS NOT NULL;
CREATE TABLE dropped (
  table_id bigint PRIMARY KEY,
  at bigint NOT NULL);
CREATE TABLE settings (
  account text NOT NULL,
  name text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (account, name));
CREATE TABLE writers (
  id bigint PRIMARY KEY,
  seq bigint NOT NULL,
  answer text,
  seen timestamptz NOT NULL)
  WITH (fillfactor = 50);
CREATE TABLE accounts (
  account text PRIMARY KEY,
  service text NOT NULL,
  exact_names boolean NOT NULL);
CREATE TABLE snapshots (
  kind text NOT NULL,
  name text NOT NULL,
  at bigint NOT NULL,
  accounts text NOT NULL,
  ids bigint[] NOT NULL,
  note text,
  PRIMARY KEY (kind, name));
CREATE SEQUENCE undos;
CREATE TABLE branches (
  account text PRIMARY KEY,
  source text NOT NULL,
  snapshot text,
  key text NOT NULL,
  expires bigint NOT NULL,
  ended timestamptz)`;
