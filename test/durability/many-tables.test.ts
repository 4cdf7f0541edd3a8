import { join } from 'node:path';
import { Level } from 'level';
import { describe, expect, it } from 'vitest';
import { dataFolder } from '../../src/store/open-store.js';
import { eachInFolder, startAndFail, startChild } from '../support/child-server.js';
import { filesOf, openAt } from '../support/data-folder.js';
import { account, commit, insert, keyAt } from '../support/store-changes.js';

let location: string;
eachInFolder((folder) => {
  location = folder;
});

const tablesMin = 100;

/** Makes a store of many small table files. */
async function fillManyTables(): Promise<void> {
  const store = await openAt(location);
  await store.createTable(account, 'Table');
  await commit(store, 'Table', insert(keyAt('r')));
  await store.close();
  const folder = join(location, dataFolder);
  // LevelDB makes a table of its log when it opens, and merges none whose keys do not overlap with another's.
  for (let number = 0; number < 1.2 * tablesMin; number++) {
    const level = new Level<string, string>(folder);
    await level.put(`unused\u0000${String(number).padStart(6, '0')}`, '');
    await level.close();
  }
  expect(filesOf(folder, /\.ldb$/).length).toBeGreaterThan(tablesMin);
}

describe.skipIf(process.platform === 'win32')('a server that may open 64 files', () => {
  it('serves a store of more tables, and a second one says in one line that it is in use', async () => {
    await fillManyTables();
    const limits = { location, openFilesMax: 64 };
    const server = await startChild(limits);
    expect((await server.client().get('/Tables')).status).toBe(200);
    expect(await startAndFail(limits)).toEqual({
      code: 1,
      signal: null,
      output: '',
      errors: `The data in ${join(location, dataFolder)} is in use by another process. Stop it, or choose another --location.\n`,
    });
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, errors: '' });
  });
});
