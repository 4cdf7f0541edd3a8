import { describe, expect, it } from 'vitest';
import { countDropped, sweepDropped } from '../../../../../src/store/postgres/schema/statements.js';
import { clusterDatabase, openCluster } from '../../../../support/postgres/open-cluster.js';
import { openSession } from '../../../../support/programs/open-session.js';

/** The parameters of the first portion of a sweep, as texts. */
const first: Readonly<Record<string, string>> = { $1: '500', $2: '0', $3: "''", $4: "''" };

const url = clusterDatabase ?? 'postgres://localhost/none';

describe.skipIf(!clusterDatabase)('a look for dropped tables', () => {
  it.each([countDropped, sweepDropped])(
    'reads the ids of the snapshots once, and not for each table: $name',
    async ({ text }) => {
      const cluster = await openCluster([url]);
      const client = await openSession({ url, schema: cluster.schema });
      // What five resets of 1,000 tables keep.
      await client.query(`INSERT INTO snapshots (kind, name, at, accounts, ids)
      SELECT 'named', s, 0, '[]', array_agg(s * 1000 + i) FROM generate_series(1, 5) s, generate_series(1, 1000) i GROUP BY s`);
      await client.query('INSERT INTO dropped SELECT 1000 + i, 0 FROM generate_series(1, 5000) i');
      const { rows } = await client.query(`EXPLAIN ${text.replaceAll(/\$[1-4]/g, (one) => first[one] ?? '')}`);
      const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
      expect(plan).toContain('hashed SubPlan');
      expect(plan).not.toContain('Anti Join');
      await client.end();
      await cluster.dispose();
    },
  );
});
