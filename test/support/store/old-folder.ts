import { join } from 'node:path';
import { dataFolder } from '../../../src/store/level/open-folder.js';
import { makeOlder, openAt } from '../programs/data-folder.js';
import { account, commit, insert, keyAt } from './store-changes.js';

/** Makes the data of version 0.1.0: a table with the rows a, b and c. */
export async function makeOldFolder(location: string): Promise<void> {
  const store = await openAt(location);
  await store.createTable(account, 'Table');
  for (const row of ['a', 'b', 'c']) await commit(store, 'Table', insert(keyAt(row)));
  await store.close();
  await makeOlder(join(location, dataFolder));
}
