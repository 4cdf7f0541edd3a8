import pg from 'pg';
import type { DatabasePlace } from '../../../src/store/store-options.js';

/** Drops a schema with everything in it. */
export async function dropSchema({ url, schema }: Pick<DatabasePlace, 'url' | 'schema'>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`DROP SCHEMA IF EXISTS ${client.escapeIdentifier(schema)} CASCADE`);
  } finally {
    await client.end();
  }
}
