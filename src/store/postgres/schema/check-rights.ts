import type pg from 'pg';
import { StoreError } from '../../store-error.js';
import { type DatabaseAddress, nameOf, quoteName } from '../connection/database-address.js';

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

/** Reads what the user may do. It reads catalogs only, which need no rights. */
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

/** Returns the statements that give the user of the database the rights that it lacks on a schema. */
export async function findMissingGrants(client: pg.Client, { schema }: DatabaseAddress): Promise<readonly string[]> {
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

/** Checks the rights of the user of the database. Errors: StoreError with the statements that grant what is missing. */
export async function checkRights(client: pg.Client, address: DatabaseAddress): Promise<void> {
  const missing = await findMissingGrants(client, address);
  if (missing.length === 0) return;
  throw new StoreError(
    'no-access',
    `The user of the database may not use ${nameOf(address)}.`,
    `Run as an owner: ${missing.join('; ')}.`,
  );
}
