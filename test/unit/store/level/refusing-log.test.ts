import { existsSync } from 'node:fs';
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LevelStore } from '../../../../src/store/level/level-store.js';
import { makeFolder } from '../../../support/make-folder.js';
import { type LevelUnderTest, openLevelOn } from '../../../support/open-level-on.js';
import { account, commit, insert, keyAt, rowsOf } from '../../../support/store-changes.js';

/** A device of Linux that takes no bytes, and cannot be cut. */
const fullDevice = '/dev/full';

describe.skipIf(!existsSync(fullDevice))('a log that takes no commits', () => {
  let logFolder: string;
  let tested: LevelUnderTest;
  let store: LevelStore;
  beforeEach(async () => {
    logFolder = await makeFolder();
    for (const name of ['COMMITS-1', 'COMMITS-2']) await symlink(fullDevice, join(logFolder, name));
    tested = await openLevelOn('LevelDB', undefined, { logFolder });
    store = tested.store();
    await store.createTable(account, 'Table');
  });
  afterEach(async () => {
    await tested.dispose();
    await rm(logFolder, { recursive: true });
  });

  it('fails the write that it should have taken, and the engine gets the next ones', async () => {
    await expect(commit(store, 'Table', insert(keyAt('a')))).rejects.toThrow('ENOSPC: no space left on device');
    expect(await rowsOf(store, 'Table')).toEqual([]);
    for (const row of ['a', 'b', 'c']) await commit(store, 'Table', insert(keyAt(row)));
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b', 'p/c']);
    await tested.reopen();
    expect(await rowsOf(tested.store(), 'Table')).toEqual(['p/a', 'p/b', 'p/c']);
    expect(tested.reports).toEqual([]);
  });
});
