import { setTimeout as later } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isRejection } from '../../../src/store/store.js';
import { clusterDatabase, openCluster } from '../../support/postgres/open-cluster.js';
import { PostgresCluster } from '../../support/postgres/postgres-cluster.mjs';
import { account, insert, keyAt } from '../../support/store/store-changes.js';

/** Returns the process that waits for a synchronous standby with this statement, as soon as there is one. */
async function waitingProcess(primary: PostgresCluster, wanted: RegExp): Promise<number> {
  for (;;) {
    const rows = await primary.query("SELECT pid, query FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    const found = rows.find(({ query }) => wanted.test(String(query)));
    if (found) return Number(found['pid']);
    await later(5);
  }
}

/** Makes commits wait for a standby that does not exist. Returns when they do: the server reads its settings again later. */
async function requireAwayStandby(primary: PostgresCluster): Promise<void> {
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = 'away'");
  await primary.query('SELECT pg_reload_conf()');
  const probing = "wait_event = 'SyncRep' AND query LIKE '%pg_logical_emit_message%'";
  for (;;) {
    let isSettled = false;
    const probe = primary.query("SELECT pg_logical_emit_message(true, 'probe', '')").finally(() => {
      isSettled = true;
    });
    while (!isSettled) {
      const canceled = await primary.query(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE ${probing}`);
      if (canceled.length === 0) continue;
      await probe;
      return;
    }
  }
}

describe.skipIf(!clusterDatabase)('a commit that waits for its standby, and whose wait is canceled', () => {
  it.each(['notice', 'error'])(
    'is not acknowledged before the standby has it, although the database reports success (client_min_messages = %s)',
    async (level) => {
      const primary = await PostgresCluster.start();
      // A program that shows notices to its users may have turned them off.
      await primary.query(`ALTER ROLE tabularium SET client_min_messages = ${level}`);
      const cluster = await openCluster([primary.url]);
      const [store] = cluster.stores;
      await store?.createTable(account, 'Table');
      await store?.openTable(account, 'Table').commit([insert(keyAt('first'))]);
      await requireAwayStandby(primary);

      let isAcknowledged = false;
      const writing = Promise.resolve(store?.openTable(account, 'Table').commit([insert(keyAt('r'))])).then(
        (outcome) => {
          isAcknowledged = true;
          return outcome;
        },
      );
      const pid = await waitingProcess(primary, /INSERT INTO entities/);
      await primary.query(`SELECT pg_cancel_backend(${pid})`);
      // The server writes once more, so that it can wait again.
      await waitingProcess(primary, /UPDATE writers SET seen/);
      expect(isAcknowledged).toBe(false);

      await primary.query("ALTER SYSTEM SET synchronous_standby_names = ''");
      await primary.query('SELECT pg_reload_conf()');
      const outcome = await writing;
      expect(outcome && !isRejection(outcome)).toBe(true);
      await cluster.dispose();
      await primary.remove();
    },
  );
});
