import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { examineDatabase, findHolders } from '../../../src/store/postgres/schema/examine-database.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { PostgresCluster } from '../../support/postgres/postgres-cluster.mjs';

describe.skipIf(!clusterDatabase)('what keeps old rows or the log of a database', () => {
  it('is named by the doctor: open and prepared transactions, and replication slots that nothing reads', async () => {
    const cluster = await PostgresCluster.start('max_prepared_transactions = 1\n');
    onTestFinished(() => cluster.remove());
    const client = new pg.Client({ connectionString: cluster.url });
    const other = new pg.Client({ connectionString: cluster.url, application_name: "psql's" });
    for (const one of [client, other]) await one.connect();
    expect(await findHolders(client, 0)).toEqual([]);

    await client.query("BEGIN; CREATE TABLE t (); PREPARE TRANSACTION 'it''s old'");
    await client.query("SELECT pg_create_physical_replication_slot('gone', true)");
    await other.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class');
    const found = await findHolders(client, 0);
    expect(found.map(({ fault }) => fault)).toEqual([
      expect.stringMatching(/^a transaction has been open for \d+ s \(process \d+ of tabularium, psql's\): /),
      expect.stringMatching(/^the transaction 'it''s old' of tabularium was prepared \d+ s ago and never ended: /),
      expect.stringMatching(
        /^nothing reads the replication slot 'gone' \(physical\): the database keeps \d+ MiB of its log/,
      ),
    ]);

    // Transactions as young as these are in order.
    const { faults } = await examineDatabase({ url: cluster.url, schema: 'tabularium', connections: 4 });
    expect(faults.map(({ fault }) => fault)).toContain(found[2]?.fault);
    expect(faults.map(({ fault }) => fault).join()).not.toContain('a transaction');
    await client.query("ROLLBACK PREPARED 'it''s old'");
    for (const one of [client, other]) await one.end();
  });
});
