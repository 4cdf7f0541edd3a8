import { describe, expect, it } from 'vitest';
import { cosmosTraits } from '../../../../../src/dialects/cosmos/traits.js';
import { parseFilter } from '../../../../../src/query/filter/parse-filter.js';
import { planQuery } from '../../../../../src/query/plan/plan-query.js';
import { inOrder, orderOf } from '../../../../../src/store/postgres/read/read-ordinal-page.js';
import { clusterDatabase, openCluster } from '../../../../support/postgres/open-cluster.js';
import { openSession } from '../../../../support/programs/open-session.js';
import { account, insert, keyAt } from '../../../../support/store/store-changes.js';

const url = clusterDatabase ?? 'postgres://localhost/none';

describe.skipIf(!clusterDatabase)('a page of a table in the order of insertion', () => {
  it.each([
    ['', 'entities_by_place'],
    ["PartitionKey ge 'p'", 'entities_by_place'],
    ["PartitionKey eq 'p'", 'entities_by_partition_place'],
  ])(
    'of %s is read from an index, without a sort, in a table that the database has never counted',
    async (filter, index) => {
      const cluster = await openCluster([url]);
      const [store] = cluster.stores;
      await store?.openAccount(account, cosmosTraits);
      await store?.createTable(account, 'Table');
      const changes = Array.from({ length: 500 }, (_, at) => insert(keyAt(`row${at}`)));
      await store?.openTable(account, 'Table').commit(changes);
      const client = await openSession({ url, schema: cluster.schema });
      const { ranges } = planQuery(parseFilter(filter), { rowsMax: 1000 });
      const { text, values } = orderOf({ account, name: 'Table' }, ranges);
      await client.query(`BEGIN; ${inOrder}`);
      const { rows } = await client.query({ text: `EXPLAIN ${text}`, values: [...values, '0', 1000] });
      const plan = rows.map((row) => row['QUERY PLAN'] as string).join('\n');
      expect(plan).toContain(`Index Scan using ${index} on entities`);
      expect(plan).not.toMatch(/Sort|Bitmap/);
      await client.end();
      await cluster.dispose();
    },
  );
});
