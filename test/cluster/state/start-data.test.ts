import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { State } from '../../../src/state/state.js';
import type { Store } from '../../../src/store/store.js';
import { StartData } from '../../../src/transfer/start-data.js';
import { Transfer } from '../../../src/transfer/transfer.js';
import { clusterDatabase, openCluster } from '../../support/postgres/open-cluster.js';
import { makeFolder } from '../../support/programs/make-folder.js';
import { account, rowsOf } from '../../support/store/store-changes.js';

const url = clusterDatabase ?? 'postgres://localhost/none';

it.skipIf(!clusterDatabase)('a seed is loaded once by servers that start together on one database', async () => {
  const folder = await makeFolder();
  const seed = join(folder, 'Orders.ndjson');
  await writeFile(seed, '{"PartitionKey":"p","RowKey":"a"}\n{"PartitionKey":"p","RowKey":"b"}\n');
  const { stores, dispose } = await openCluster([url, url, url]);
  const notes: string[] = [];
  const load = async (store: Store) => {
    const state = new State(store, new Accounts([{ name: account, keys: ['a2V5'] }]), () => {});
    const parts = { store, state, transfer: new Transfer(store, state), accounts: [account] };
    const options = { seeds: [seed], importPath: undefined, exportPath: undefined };
    await new StartData({ ...parts, note: (text) => notes.push(text) }, options).load();
    state.stop();
  };
  try {
    await Promise.all(stores.map(load));
    for (const store of stores) expect(await rowsOf(store, 'Orders')).toEqual(['p/a', 'p/b']);
    const other = 'The location already has data, so --seed was not loaded.';
    expect(notes.sort()).toEqual([other, other, `loaded 2 entities in 1 tables from ${seed}`]);
    expect((await stores[0]?.snapshots.list())?.map(({ name }) => name)).toEqual(['seed']);
  } finally {
    await dispose();
    await rm(folder, { recursive: true, force: true });
  }
});
