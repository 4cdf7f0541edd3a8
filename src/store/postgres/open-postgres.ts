import type { Store } from '../store.js';
import type { DatabasePlace, StoreOptions } from '../store-options.js';
import { checkSessions } from './connection/check-sessions.js';
import { Connection } from './connection/connection.js';
import { type DatabaseConfig, openMs, readAddress } from './connection/database-address.js';
import { explainOpenFailure } from './connection/explain-open-failure.js';
import { type ConnectionPlan, PostgresStore } from './postgres-store.js';
import { again } from './read/readers.js';
import { createSchema } from './schema/create-schema.js';

/** Opens a store in a database, and migrates its schema. Errors: StoreError with the fix; its message never contains the password. */
export async function openPostgres(address: DatabasePlace, { report, signal }: StoreOptions): Promise<Store> {
  const config = readAddress(address);
  await prepareDatabase(config, signal);
  return new PostgresStore(config, planConnections(address.connections), report ?? (() => {}), {
    async openView(isWanted) {
      const { openView } = await import('./read/open-view.js');
      return openView(address, isWanted);
    },
    async freeze(state) {
      const { freezeState } = await import('./read/open-view.js');
      return freezeState(address, state);
    },
    async alone(work) {
      const { runAlone } = await import('./connection/lone-connection.js');
      return runAlone(address, work);
    },
  });
}

/**
 * Divides connections: one creates and drops tables, the others write, look up and scan. Few lanes form large groups, which are faster than
 * many small ones.
 */
function planConnections(connections: number): ConnectionPlan {
  const readers = connections >= 8 ? 2 : 1;
  const lanes = Math.min(9, Math.max(1, Math.floor(connections / 10)));
  return { lanes, readers, scans: Math.max(1, connections - 1 - readers - lanes) };
}

/** Checks the database and migrates its schema. Errors: StoreError with the fix. */
async function prepareDatabase(config: DatabaseConfig, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const { address } = config;
  const connection = new Connection(config);
  const stop = () => void connection.end();
  signal?.addEventListener('abort', stop);
  try {
    // A migration is one idempotent transaction, so it can be repeated.
    await again(connection, performance.now() + openMs, async (client) => {
      await checkSessions(client, config);
      await createSchema(client, address);
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw explainOpenFailure(error, address);
  } finally {
    signal?.removeEventListener('abort', stop);
    await connection.end();
  }
}
