import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { KeyRange } from '../../../../src/query/plan.js';
import { readAddress } from '../../../../src/store/postgres/database-address.js';
import { pageStatement, unpackRows } from '../../../../src/store/postgres/page-statement.js';
import { textOf } from '../../../../src/store/postgres/stamps.js';
import { clusterDatabase, openCluster } from '../../../support/open-cluster.js';
import { account, insert, keyAt } from '../../../support/store-changes.js';

const url = clusterDatabase ?? 'postgres://localhost/none';

const rows = 300;
const table = { account, name: 'table' };
const rowAt = (at: number) => `row${String(at).padStart(3, '0')}`;

/** Disjoint ranges in ascending order, each from one row up to another. */
const ranges = fc
  .uniqueArray(fc.nat(rows), { minLength: 2, maxLength: 12 })
  .map((cuts) => cuts.sort((a, b) => a - b).map((at) => ({ ...keyAt(rowAt(at)), side: 'before' as const })))
  .map((cuts) =>
    cuts.flatMap((to, at): KeyRange[] => {
      const from = cuts[at - 1];
      return at % 2 === 1 && from ? [{ from, to }] : [];
    }),
  );

describe.skipIf(!clusterDatabase)('the statement of a page', () => {
  it('packs the rows that it finds one by one, up to its bounds', async () => {
    const cluster = await openCluster([url]);
    const [store] = cluster.stores;
    await store?.createTable(account, 'Table');
    for (let from = 0; from < rows; from += 100) {
      const changes = Array.from({ length: 100 }, (_, at) => insert(keyAt(rowAt(from + at))));
      await store?.openTable(account, 'Table').commit(changes);
    }
    const client = new pg.Client(readAddress({ url, schema: cluster.schema }));
    await client.connect();
    const read = async (...asked: Parameters<typeof pageStatement>): Promise<readonly (readonly string[])[]> => {
      const { statement, values } = pageStatement(...asked);
      return (await client.query({ text: statement.text, values, rowMode: 'array' })).rows;
    };
    const property = fc.asyncProperty(
      ranges,
      // Few rows have a statement of their own.
      fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: rows })),
      fc.integer({ min: 1, max: 40_000 }),
      async (wanted, rowsMax, bytesMax) => {
        const [[id] = [], ...texts] = await read(table, wanted, { rowsMax, bytesMax });
        const packed = texts.flatMap(([text = '']) => unpackRows(text));
        const all = await read(table, wanted);
        const [[, , first = ''] = []] = all;
        const fitting = Math.min(rowsMax, Math.ceil(bytesMax / first.length) + 1);
        expect(id).toMatch(/^\d+$/);
        expect(packed).toEqual(all.slice(0, fitting).map(([, ts = '', body = '']) => textOf(body, ts)));
      },
    );
    await fc.assert(property, { numRuns: 40 });
    expect(await read({ account, name: 'missing' }, [{}], { rowsMax: 1, bytesMax: 1 })).toEqual([]);
    await client.end();
    await cluster.dispose();
  });
});
