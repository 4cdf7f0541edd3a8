import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../../src/store/postgres/connection/connection.js';
import { again } from '../../../src/store/postgres/read/readers.js';
import { isRejection } from '../../../src/store/store.js';
import { clusterDatabase, openCluster } from '../../support/postgres/open-cluster.js';
import { openSession } from '../../support/programs/open-session.js';
import { account, insert, keyAt, rowsOf } from '../../support/store/store-changes.js';

const url = clusterDatabase ?? '';

/** Statements that the database undoes because of another one: the client is to repeat them. */
const codes = [
  ['40001', 'serialization_failure'],
  ['40P01', 'deadlock_detected'],
] as const;

describe('a read that the database undoes', () => {
  it.each(codes)('with %s is repeated on the same connection', async (code) => {
    const client = {} as pg.Client;
    let opened = 0;
    const open = async () => {
      opened++;
      return client;
    };
    let attempts = 0;
    const rows = await again({ open } as unknown as Connection, performance.now() + 60_000, async () => {
      if (++attempts < 3) throw Object.assign(new Error(code), { code });
      return 'rows';
    });
    expect({ rows, attempts, opened }).toEqual({ rows: 'rows', attempts: 3, opened: 3 });
  });
});

describe.skipIf(!clusterDatabase)('a write that the database undoes', () => {
  it.each(codes)('with %s is repeated, whichever statement it was', async (_code, condition) => {
    const cluster = await openCluster([url]);
    const session = await openSession({ url, schema: cluster.schema });
    // A sequence counts statements that are undone, too. Each is undone the first two times.
    await session.query(`CREATE SEQUENCE attempts;
      CREATE FUNCTION undo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('attempts') % 3 > 0 THEN RAISE EXCEPTION USING ERRCODE = '${condition}'; END IF;
        RETURN new;
      END $$;
      CREATE TRIGGER undo BEFORE INSERT OR UPDATE ON writers FOR EACH ROW EXECUTE FUNCTION undo()`);
    const [store] = cluster.stores;
    if (!store) throw new Error('a store is open');
    expect(await store.createTable(account, 'Table')).toMatchObject({ name: 'Table' });
    for (const row of ['a', 'b', 'c']) {
      const outcome = await store.openTable(account, 'Table').commit([insert(keyAt(row))]);
      expect(isRejection(outcome)).toBe(false);
    }
    await store.writeServiceProperties(account, {});
    await store.snapshots.take('taken', [account]);
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b', 'p/c']);
    await session.query('DROP TRIGGER undo ON writers');
    await session.end();
    await cluster.dispose();
  });
});
