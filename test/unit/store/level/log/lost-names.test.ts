import { existsSync } from 'node:fs';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClock } from '../../../../../src/clock/clock.js';
import { readSegments } from '../../../../../src/store/level/log/read-segments.js';
import { encodeSegmentHeader, segmentName } from '../../../../../src/store/level/log/segment-header.js';
import { dataFolder, openFolder } from '../../../../../src/store/level/open-folder.js';
import { LossyDisk } from '../../../../support/failing-store/lossy-disk.js';
import { openAt } from '../../../../support/programs/data-folder.js';
import { makeFolder } from '../../../../support/programs/make-folder.js';
import { copyAsKilled } from '../../../../support/store/copy-as-killed.js';
import { commit, insert, keyAt, rowsOf } from '../../../../support/store/store-changes.js';

let location: string;
let copy: string;
beforeEach(async () => {
  location = await makeFolder();
  copy = await makeFolder();
});
afterEach(async () => {
  for (const folder of [location, copy]) await rm(folder, { recursive: true });
});

/** Makes a copy of a store with one row, as a power failure leaves it. `fail` lets the disk fail before. */
async function copyWithRow(fail?: (disk: LossyDisk, write: () => Promise<unknown>) => Promise<void>): Promise<void> {
  const disk = new LossyDisk(false);
  const store = await openFolder(location, { clock: createClock(), cacheBytes: 0 }, { logOptions: { files: disk } });
  await store.createTable('account', 'Table');
  await commit(store, 'Table', insert(keyAt('a')));
  await fail?.(disk, () => store.swept().then(() => commit(store, 'Table', insert(keyAt('rejected')))));
  copyAsKilled(location, copy);
  disk.fails = () => false;
  await store.close();
}

/** Expects that the copy has its row, takes others and keeps them. */
async function expectRows(): Promise<void> {
  let store = await openAt(copy);
  for (const row of ['b', 'c', 'd']) {
    await commit(store, 'Table', insert(keyAt(row)));
    await store.close();
    store = await openAt(copy);
  }
  expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b', 'p/c', 'p/d']);
  await store.close();
}

const pathOf = (number: number) => join(copy, dataFolder, segmentName(number));

describe('a power failure that keeps the name of a segment and not that of the one before it', () => {
  it('loses nothing when both attempts to begin the log again have failed', async () => {
    await copyWithRow(async (disk, write) => {
      // It takes other files, or the engine would not be reopened.
      disk.fails = (path) => /COMMITS-\d+$/.test(path);
      for (let attempts = 0; attempts < 3; attempts++) await write().catch(() => {});
    });
    expect([2, 3].map((number) => existsSync(pathOf(number)))).toEqual([true, true]);
    await rm(pathOf(2));
    // Nothing of it was on disk but a part of its header.
    await truncate(pathOf(3), 12);
    await expectRows();
  });

  it('loses nothing when the one before it had no commits', async () => {
    await copyWithRow();
    const { last } = await readSegments(join(copy, dataFolder), copy);
    await writeFile(pathOf(3), encodeSegmentHeader({ number: 3, first: last + 1, proved: 0 }));
    await expectRows();
  });

  it('is damage when the one before it had commits', async () => {
    await copyWithRow();
    const { last } = await readSegments(join(copy, dataFolder), copy);
    await writeFile(pathOf(3), encodeSegmentHeader({ number: 3, first: last + 2, proved: 0 }));
    await expect(openAt(copy)).rejects.toThrow('COMMITS-00000002 is missing');
  });
});
