import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cosmosTraits } from '../../../../../src/dialects/cosmos/traits.js';
import { dataFolder } from '../../../../../src/store/level/open-folder.js';
import type { Store } from '../../../../../src/store/store.js';
import { openAt } from '../../../../support/programs/data-folder.js';
import { makeFolder } from '../../../../support/programs/make-folder.js';
import { account, commit, insert, keyAt, remove } from '../../../../support/store/store-changes.js';

describe('A data folder', () => {
  let location: string;
  beforeEach(async () => {
    location = await makeFolder();
  });
  afterEach(() => rm(location, { recursive: true }));

  /** Opens the store, with an account of another service, and closes it when the work is done. */
  const withStore = async (work: (store: Store) => Promise<unknown> = async () => {}) => {
    const store = await openAt(location);
    try {
      await store.openAccount(account, cosmosTraits);
      await work(store);
      await store.swept();
    } finally {
      await store.close();
    }
  };
  const withLevel = async <T>(work: (level: Level<string, string>) => Promise<T>) => {
    const level = new Level<string, string>(join(location, dataFolder));
    try {
      return await work(level);
    } finally {
      await level.close();
    }
  };
  const keys = () => withLevel((level) => level.keys().all());

  it('has no records of the order of rows that are gone', async () => {
    await withStore(async (store) => {
      await store.createTable(account, 'Table');
      await commit(store, 'Table', insert(keyAt('b')), insert(keyAt('a')));
    });
    expect((await keys()).filter((key) => key.startsWith('entity'))).toHaveLength(6);
    await withStore((store) => commit(store, 'Table', remove(keyAt('b'))));
    expect((await keys()).filter((key) => key.startsWith('entity'))).toHaveLength(3);
    await withStore(async (store) => store.snapshots.exchange({ emptied: [{ account, names: ['Table'] }] }));
    expect((await keys()).filter((key) => key.startsWith('entity'))).toEqual([]);
  });
});
