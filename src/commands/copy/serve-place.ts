import { randomBytes } from 'node:crypto';
import { createClock } from '../../clock/clock.js';
import type { EndOptions, PlaceAccount } from '../../copy/ends/open-end.js';
import type { PlaceEnd } from '../../copy/ends/read-end.js';
import { startTabularium } from '../../library/start-tabularium.js';
import { type DatabaseConfig, defaultConfig } from '../../settings/config.js';
import { defaultValues } from '../../settings/settings.js';
import { openStore } from '../../store/open-store.js';

/** Length of a key. Unit: bytes. (Our choice: that of the service.) */
const keyBytes = 64;

/** Returns a function that serves data within this process, on a free port of 127.0.0.1, with keys that nobody else has. */
export function placeServer(environment: NodeJS.ProcessEnv): EndOptions['serve'] {
  return async (place, more) => {
    const schema = environment['TABULARIUM_DATABASE_SCHEMA'] || defaultValues.databaseSchema;
    const stored = await listAccounts(place, schema);
    const all = [...stored, ...more.filter(({ name }) => !stored.some((one) => one.name === name))];
    const keyed = (isCosmos: boolean) =>
      all
        .filter((account) => account.isCosmos === isCosmos)
        .map(({ name }) => ({ name, keys: [randomBytes(keyBytes).toString('base64')] as const }));
    const [ofStorage, ofCosmos] = [keyed(false), keyed(true)];
    const server = await startTabularium({
      ...(place.isDatabase ? { database: place.location, databaseSchema: schema } : { location: place.location }),
      ...{ journal: 0, explorer: false, admin: 'off', undo: false },
      // A server has a storage account. An unused one stores nothing.
      ...(ofStorage.length > 0 && { accounts: ofStorage }),
      ...(ofCosmos.length > 0 && { cosmos: { accounts: ofCosmos } }),
    });
    const accounts = all.map((one) => ({ ...one, connectionString: server.connectionStringOf(one.name) }));
    return { accounts, close: () => server.close() };
  };
}

/** Returns the accounts that have tables, without branches. Errors: StoreError if a server uses the data. */
async function listAccounts(place: PlaceEnd, schema: string): Promise<readonly PlaceAccount[]> {
  const options = { clock: createClock(), cacheBytes: defaultConfig.cacheMb * 1024 * 1024 };
  const connections: DatabaseConfig['connections'] = defaultValues.databaseConnections;
  const store = await openStore(
    place.isDatabase
      ? { engine: 'postgres', url: place.location, schema, connections }
      : { engine: 'level', location: place.location },
    options,
  );
  try {
    const branches = new Set((await store.snapshots.branches()).map(({ account }) => account));
    const view = await store.openView((account) => !branches.has(account));
    const accounts = new Map(view.tables.map(({ account, order }) => [account, order !== undefined]));
    await view.close();
    return [...accounts].map(([name, isCosmos]) => ({ name, isCosmos }));
  } finally {
    await store.close();
  }
}
