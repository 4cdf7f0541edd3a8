import { PostgresCluster } from './postgres-cluster.mjs';

/** A server of PostgreSQL, and a standby that has every acknowledged commit. */
export interface ReplicatedDatabases {
  readonly primary: PostgresCluster;
  readonly standby: PostgresCluster;
  /** Kills the primary, as a loss of power would, and makes the standby the primary. */
  failOver(): Promise<void>;
  /** Makes the standby the primary, and the old primary its standby. */
  switchOver(): Promise<void>;
  /** Ends both, and deletes their data. */
  remove(): Promise<void>;
}

/** Starts a primary and its synchronous standby. */
export async function startReplicated(): Promise<ReplicatedDatabases> {
  const primary = await PostgresCluster.start();
  const standby = await primary.startStandby('s1').catch(async (error: unknown) => {
    await primary.remove();
    throw error;
  });
  const waitForStandby = async (cluster: PostgresCluster, names: string) => {
    await cluster.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await cluster.query('SELECT pg_reload_conf()');
  };
  await waitForStandby(primary, 's1');
  return {
    primary,
    standby,
    async failOver() {
      await primary.kill();
      await standby.promote();
      await waitForStandby(standby, '');
    },
    async switchOver() {
      await primary.stop();
      await standby.promote();
      await waitForStandby(standby, '');
      await primary.follow(standby);
    },
    async remove() {
      await standby.remove();
      await primary.remove();
    },
  };
}
