import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { sweepDropped } from '../../../../../src/store/postgres/schema/statements.js';
import { clusterDatabase, openCluster } from '../../../../support/postgres/open-cluster.js';
import { openSession } from '../../../../support/programs/open-session.js';

const url = clusterDatabase ?? 'postgres://localhost/none';

/** How many rows a portion removes here, and of how many a table has. */
const [portion, rowsOfTable] = [200, 6000];

interface Swept {
  readonly table_id: string;
  readonly pk: Buffer | null;
  readonly rk: Buffer;
}

const beginning = Buffer.alloc(0);

/** Removes a portion. Returns what the database answered, and how many blocks it has used for it. */
async function sweep(
  client: pg.Client,
  from: readonly unknown[],
): Promise<{ swept: Swept | undefined; blocks: number }> {
  const values = [portion, ...from];
  await client.query('BEGIN');
  const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sweepDropped.text}`;
  const { rows: plans } = await client.query(explain, values);
  await client.query('ROLLBACK');
  const { Plan: plan } = plans[0]['QUERY PLAN'][0];
  const { rows } = await client.query(sweepDropped.text, values);
  return { swept: rows[0], blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
}

describe.skipIf(!clusterDatabase)('a sweep of dropped tables', () => {
  it('resumes where it was while an old transaction is open, and leaves no row', async () => {
    const cluster = await openCluster([url]);
    const [client, old] = await Promise.all([1, 2].map(() => openSession({ url, schema: cluster.schema })));
    if (!client || !old) throw new Error('two sessions were opened');
    // Keys of two bytes per character. The first one is that of an entity whose keys are both empty.
    await client.query(`INSERT INTO entities (table_id, pk, rk, ts, body)
      SELECT t, CASE WHEN i = 0 THEN '' ELSE '\\x0070'::bytea END, CASE WHEN i = 0 THEN '' ELSE int4send(i) END, 0, ''
      FROM generate_series(7, 8) t, generate_series(0, ${rowsOfTable - 1}) i; ANALYZE entities`);
    await client.query('INSERT INTO dropped VALUES (7, 0), (8, 0)');
    await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM entities');

    const used: number[] = [];
    for (let from: readonly unknown[] = ['0', beginning, beginning]; ; ) {
      const { swept, blocks } = await sweep(client, from);
      if (!swept) break;
      if (swept.pk) used.push(blocks);
      from = swept.pk
        ? [swept.table_id, swept.pk, swept.rk]
        : [String(Number(swept.table_id) + 1), beginning, beginning];
    }
    expect(used.length).toBe((2 * rowsOfTable) / portion);
    // A sweep that begins at the front passes all rows that it has removed, and uses ever more blocks.
    const [first = 0] = used;
    for (const blocks of used) expect(blocks).toBeLessThan(2 * first);
    expect((await client.query('SELECT count(*)::int AS n FROM entities')).rows).toEqual([{ n: 0 }]);
    expect((await client.query('SELECT count(*)::int AS n FROM dropped')).rows).toEqual([{ n: 0 }]);

    await Promise.all([client.end(), old.end()]);
    await cluster.dispose();
  });
});
