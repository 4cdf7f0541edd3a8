import { describe, expect, it } from 'vitest';
import { clock } from '../../../../../src/store/postgres/schema/statements.js';
import type { EntityWrite } from '../../../../../src/store/postgres/write/judge-group.js';
import { writeEntities } from '../../../../../src/store/postgres/write/write-entities.js';
import { clusterDatabase, openCluster } from '../../../../support/postgres/open-cluster.js';
import { openSession } from '../../../../support/programs/open-session.js';
import { account, keyAt } from '../../../../support/store/store-changes.js';

const url = clusterDatabase ?? '';

describe.skipIf(!clusterDatabase)('The statement that writes a group', () => {
  it('ends when the clock has passed the last stamp, even if stamps take longer than writing rows', async () => {
    const cluster = await openCluster([url]);
    await cluster.stores[0]?.createTable(account, 'Table');
    const session = await openSession({ url, schema: cluster.schema });
    const [{ id }] = (await session.query('SELECT id FROM tables')).rows;
    await session.query('INSERT INTO writers (id, seq, seen) VALUES (1, 0, now())');
    const table = `${account}/table`;
    const write: EntityWrite = {
      table,
      key: keyAt('r'),
      expect: '0',
      result: { body: '{}', offset: 10 },
      born: undefined,
    };
    // As if one entity were changed 20,000 times: its stamps take 20 ms.
    const stamps = 20_000;
    const { statement, values } = writeEntities({ outcomes: [], writes: [write], stamps }, new Map([[table, id]]), {
      lowest: 1n,
      shift: 0,
      span: 10 * stamps,
    });
    const { rows: written } = await session.query({ ...statement, values: [...values, '1', 1] });
    const { rows: clocks } = await session.query(`SELECT ${clock}::text AS now`);
    expect(BigInt(clocks[0].now)).toBeGreaterThan(BigInt(written[0].answer));
    await session.end();
    await cluster.dispose();
  });
});
