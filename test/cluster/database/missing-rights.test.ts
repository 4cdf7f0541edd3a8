import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClock } from '../../../src/clock/clock.js';
import { openStore } from '../../../src/store/open-store.js';
import { examineDatabase } from '../../../src/store/postgres/schema/examine-database.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { PostgresCluster } from '../../support/postgres/postgres-cluster.mjs';
import { account } from '../../support/store/store-changes.js';

describe.skipIf(!clusterDatabase)('a user of the database without the rights that it needs', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    await cluster.query('CREATE ROLE guest LOGIN', 'postgres');
    await cluster.query('CREATE DATABASE locked', 'postgres');
    await cluster.query('REVOKE CONNECT ON DATABASE locked FROM PUBLIC', 'postgres');
  });
  afterAll(() => cluster.remove());

  const placeOf = (schema: string, database = 'tabularium') => {
    const url = Object.assign(new URL(cluster.url), { username: 'guest', pathname: `/${database}` }).href;
    return { engine: 'postgres', url, schema, connections: 4 } as const;
  };
  const open = (schema: string, database?: string) =>
    openStore(placeOf(schema, database), { clock: createClock(), cacheBytes: 0 });

  it.each([
    ['may not connect', '', 'locked', 'GRANT CONNECT ON DATABASE "locked" TO "guest"'],
    ['may not create the schema', '', 'tabularium', 'GRANT CREATE ON DATABASE "tabularium" TO "guest"'],
    ['may not use its schema', 'CREATE SCHEMA given', 'tabularium', 'GRANT USAGE, CREATE ON SCHEMA "given" TO "guest"'],
    [
      'may not create tables',
      'GRANT USAGE ON SCHEMA given TO guest',
      'tabularium',
      'GRANT CREATE ON SCHEMA "given" TO "guest"',
    ],
  ])('that %s is told what to grant', async (_what, before, database, grant) => {
    if (before !== '') await cluster.query(before);
    const rejection = await open('given', database).catch((error: unknown) => error);
    expect(rejection).toMatchObject({ name: 'StoreError', code: 'no-access', remedy: expect.stringContaining(grant) });
  });

  it('reports which grants it needs on the tables of another user, and then works', async () => {
    const place = { ...placeOf('owned'), url: cluster.url };
    const owner = await openStore(place, { clock: createClock(), cacheBytes: 0 });
    await owner.close();
    const grants: string[] = [];
    for (let store: Awaited<ReturnType<typeof open>> | undefined; !store; ) {
      const opened = await open('owned').catch((error: unknown) => error);
      if (!(opened instanceof Error)) {
        store = opened as Awaited<ReturnType<typeof open>>;
        expect(await store.createTable(account, 'Table')).toMatchObject({ name: 'Table' });
        await store.close();
        break;
      }
      const found = /GRANT .+? TO "guest"/g;
      const wanted = String('remedy' in opened && opened.remedy).match(found) ?? [];
      expect(wanted).not.toEqual([]);
      // The check of the database says the same.
      const fault: unknown = await examineDatabase(placeOf('owned')).catch((error: unknown) => error);
      expect(String(fault).match(found)).toEqual(wanted);
      grants.push(...wanted);
      for (const grant of wanted) await cluster.query(grant);
    }
    expect(grants).toEqual([
      'GRANT USAGE ON SCHEMA "owned" TO "guest"',
      'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "owned" TO "guest"',
      'GRANT USAGE ON ALL SEQUENCES IN SCHEMA "owned" TO "guest"',
    ]);
  });
});
