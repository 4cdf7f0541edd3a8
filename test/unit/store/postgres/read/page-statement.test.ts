import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyRange } from '../../../../../src/query/plan/plan.js';
import { RowTap } from '../../../../../src/store/postgres/connection/row-tap.js';
import { pageStatement } from '../../../../../src/store/postgres/read/read-page.js';
import { StampedRows } from '../../../../../src/store/postgres/read/stamped-rows.js';
import { textOf } from '../../../../../src/store/postgres/schema/stamps.js';
import { runs } from '../../../../support/arbitrary/property-runs.js';
import { clusterDatabase, openCluster } from '../../../../support/postgres/open-cluster.js';
import { openSession } from '../../../../support/programs/open-session.js';
import { account, insert, keyAt } from '../../../../support/store/store-changes.js';

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
  it('reads the rows that are found one by one, up to its bounds', async () => {
    const cluster = await openCluster([url]);
    const [store] = cluster.stores;
    await store?.createTable(account, 'Table');
    for (let from = 0; from < rows; from += 100) {
      const changes = Array.from({ length: 100 }, (_, at) => insert(keyAt(rowAt(from + at))));
      await store?.openTable(account, 'Table').commit(changes);
    }
    const client = await openSession({ url, schema: cluster.schema });
    const readAll = async (wanted: readonly KeyRange[]): Promise<readonly (readonly string[])[]> => {
      const { statement, values } = pageStatement(table, wanted);
      return (await client.query({ text: statement.text, values, rowMode: 'array' })).rows;
    };
    const read = async (...asked: Parameters<typeof pageStatement>): Promise<StampedRows> => {
      const { statement, values } = pageStatement(...asked);
      const stamped = new StampedRows();
      RowTap.of(client).giveTo(stamped);
      await client.query({ text: statement.text, values });
      return stamped;
    };
    const property = fc.asyncProperty(
      ranges,
      fc.integer({ min: 1, max: rows }),
      fc.integer({ min: 1, max: 60_000 }),
      async (wanted, rowsMax, bytesMax) => {
        const all = await readAll(wanted);
        const texts = all.map(([, ts = '', body = '']) => textOf(body, ts));
        const [[id, , first = ''] = []] = all;

        const long = await read(table, wanted, { kind: 'long', rowsMax, bytesMax });
        const fitting = Math.min(rowsMax, Math.ceil(bytesMax / first.length) + 1);
        expect(long).toMatchObject({ id, texts: texts.slice(0, fitting), isIncomplete: false });

        const short = await read(table, wanted, { kind: 'short', rowsMax, bytesMax });
        const isTooLong = first.length > bytesMax / rowsMax;
        expect(short).toMatchObject({ id, texts: isTooLong ? [] : texts.slice(0, rowsMax), isIncomplete: isTooLong });
      },
    );
    await fc.assert(property, { numRuns: runs(40) });
    const bounds = { kind: 'short', rowsMax: 1, bytesMax: 1 } as const;
    const missing = await read({ account, name: 'missing' }, [{}], bounds);
    expect(missing).toMatchObject({ id: null, texts: [], isIncomplete: false });
    const end = { ...keyAt('z'), side: 'before' } as const;
    const empty = await read(table, [{ from: end }], bounds);
    expect(empty).toMatchObject({ id: expect.stringMatching(/^\d+$/), texts: [], isIncomplete: false });
    await client.end();
    await cluster.dispose();
  });
});
