import { describe, expect, it } from 'vitest';
import { keyArray, textArray } from '../../../../../src/store/postgres/connection/array-parameters.js';
import { readEntities } from '../../../../../src/store/postgres/schema/statements.js';
import { clusterDatabase, openCluster } from '../../../../support/postgres/open-cluster.js';
import { openSession } from '../../../../support/programs/open-session.js';
import { account, insert, keyAt } from '../../../../support/store/store-changes.js';

const url = clusterDatabase ?? 'postgres://localhost/none';

describe.skipIf(!clusterDatabase)('a read of entities by key', () => {
  it('finds each by its whole key, also in a table that the database has never counted', async () => {
    const cluster = await openCluster([url]);
    const [store] = cluster.stores;
    await store?.createTable(account, 'Table');
    const names = Array.from({ length: 32 }, (_, i) => `row${i}`);
    await store?.openTable(account, 'Table').commit(names.map((name) => insert(keyAt(name))));
    const client = await openSession({ url, schema: cluster.schema });
    const values = [
      textArray(names.map(() => account)),
      textArray(names.map(() => 'table')),
      keyArray(names.map(() => 'p')),
      keyArray(names),
      textArray([]),
    ];
    const { rows } = await client.query({ text: `EXPLAIN ${readEntities.text}`, values });
    const plan = rows.map((row) => row['QUERY PLAN'] as string).join('\n');
    expect(plan).toMatch(
      /using entities_pkey on entities.*\n\s*Index Cond: \(\(table_id = t\.id\) AND \(pk = q\.pk\) AND \(rk = q\.rk\)\)/,
    );
    await client.end();
    await cluster.dispose();
  });
});
