import { describe, expect, it } from 'vitest';
import { writeEntities } from '../../../../../src/store/postgres/snapshots/revert-entities.js';
import { clusterDatabase, openCluster } from '../../../../support/postgres/open-cluster.js';
import { openSession } from '../../../../support/programs/open-session.js';
import { account, commit, insert, keyAt } from '../../../../support/store/store-changes.js';

const url = clusterDatabase ?? 'postgres://localhost/none';

describe.skipIf(!clusterDatabase)('the statement that gives entities back', () => {
  it.each(['without', 'with'])('finds each row by an index, and each key by its hash, %s statistics', async (kind) => {
    const { stores, schema, dispose } = await openCluster([url]);
    const [store] = stores;
    if (!store) throw new Error('a store is open');
    await store.createTable(account, 'Table');
    for (let at = 0; at < 5000; at += 500) {
      await commit(store, 'Table', ...Array.from({ length: 500 }, (_, row) => insert(keyAt(`${at + row}`))));
    }
    const client = await openSession({ url, schema });
    if (kind === 'with') await client.query('ANALYZE entities');
    const lists = Array.from({ length: 5 }, () => []);
    const { rows } = await client.query(`EXPLAIN ${writeEntities}`, ['1', ...lists, '1', false]);
    const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
    expect(plan).toContain('hashed SubPlan');
    expect(plan).not.toMatch(/Bitmap|Materialize|Seq Scan/);
    await client.end();
    await dispose();
  });
});
