import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClock } from '../../../src/clock/clock.js';
import { openStore } from '../../../src/store/open-store.js';
import { schemaVersion } from '../../../src/store/postgres/schema/create-schema.js';
import { dropSchema } from '../../support/postgres/drop-schema.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';

describe.skipIf(!clusterDatabase)('a schema of another version', () => {
  const database = { url: clusterDatabase ?? '', schema: '', connections: 10 };
  let client: pg.Client;
  const open = () => openStore({ engine: 'postgres', ...database }, { clock: createClock(), cacheBytes: 0 });
  const versions = async () => (await client.query('SELECT version FROM format')).rows;
  beforeEach(async () => {
    database.schema = `older_${randomUUID().replaceAll('-', '')}`;
    await (await open()).close();
    client = new pg.Client({ connectionString: database.url, options: `-c search_path=${database.schema}` });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await dropSchema(database);
  });

  it('is rejected, and stays as it is', async () => {
    const version = schemaVersion + 1;
    await client.query(`UPDATE format SET version = ${version}`);
    await expect(open()).rejects.toMatchObject({
      code: 'other-format',
      message: expect.stringContaining(`its format is ${version}, and this version knows ${schemaVersion}.`),
    });
    expect(await versions()).toEqual([{ version }]);
  });

  it('is created once, and found by the next start', async () => {
    await (await open()).close();
    expect(await versions()).toEqual([{ version: schemaVersion }]);
  });
});
