import { join } from 'node:path';
import { Level } from 'level';
import { describe, expect, it } from 'vitest';
import { dataFolder } from '../../src/store/level/open-folder.js';
import { eachInFolder, startAndFail, startChild } from '../support/programs/child-server.js';
import { filesOf, openAt } from '../support/programs/data-folder.js';
import { account, commit, insert, keyAt } from '../support/store/store-changes.js';

let location: string;
eachInFolder((folder) => {
  location = folder;
});

const tablesMin = 200;

/** Makes a store with many small sorted table files. */
async function fillManyTables(): Promise<void> {
  const store = await openAt(location);
  await store.createTable(account, 'Table');
  await commit(store, 'Table', insert(keyAt('r')));
  await store.close();
  const folder = join(location, dataFolder);
  // When it opens, LevelDB turns its log into a table file. It does not merge files whose keys do not overlap.
  for (let number = 0; number < 1.2 * tablesMin; number++) {
    const level = new Level<string, string>(folder);
    await level.put(`unused\u0000${String(number).padStart(6, '0')}`, '');
    await level.close();
  }
  expect(filesOf(folder, /\.ldb$/).length).toBeGreaterThan(tablesMin);
}

describe.skipIf(process.platform === 'win32')('A server that may open 64 files', () => {
  it('serves a store with more table files, and a second server reports in one line that it is in use', async () => {
    await fillManyTables();
    const limits = { location, openFilesMax: 64 };
    const server = await startChild(limits);
    expect((await server.client().get('/Tables')).status).toBe(200);
    expect(await startAndFail(limits)).toEqual({
      code: 2,
      signal: null,
      output: '',
      errors: `The data in ${join(location, dataFolder)} is in use by another process. Stop it, or choose another --location.\n`,
    });
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, errors: '' });
  });
});
