import { readFileSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClock } from '../../../../../src/clock/clock.js';
import { formatKey } from '../../../../../src/store/level/engine/key-encoding.js';
import { makeEngine } from '../../../../../src/store/level/engine/make-engine.js';
import { currentFormat } from '../../../../../src/store/level/format-file.js';
import { dataFolder, openFolder } from '../../../../../src/store/level/open-folder.js';
import { openStore } from '../../../../../src/store/open-store.js';
import { StoreError } from '../../../../../src/store/store-error.js';
import { makeFolder } from '../../../../support/programs/make-folder.js';
import { account, commit, insert, keyAt, rowsOf } from '../../../../support/store/store-changes.js';

describe('the data folder', () => {
  let location: string;
  let folder: string;
  beforeEach(async () => {
    location = await makeFolder();
    folder = join(location, dataFolder);
  });
  afterEach(() => rm(location, { recursive: true }));

  const open = () => openStore({ engine: 'level', location }, { clock: createClock(), cacheBytes: 0 });

  /** Runs work on the LevelDB in the folder, without the store. */
  async function withLevel<T>(work: (level: Level<string, string>) => Promise<T>): Promise<T> {
    const level = new Level<string, string>(folder);
    await level.open();
    try {
      return await work(level);
    } finally {
      await level.close();
    }
  }

  /** Returns the message of the error that the store throws when it opens. */
  async function rejectionToOpen(): Promise<string> {
    const error: unknown = await open().then(
      async (store) => {
        await store.close();
        throw new Error('the store opened');
      },
      (reason: unknown) => reason,
    );
    if (!(error instanceof StoreError)) throw error;
    return error.message;
  }

  it('is created within the location, which may not exist yet, with a file for its format', async () => {
    location = join(location, 'a', 'b');
    folder = join(location, dataFolder);
    const store = await open();
    await store.close();
    expect(await readdir(location)).toEqual([dataFolder]);
    expect(await withLevel((level) => level.get(formatKey))).toBe(String(currentFormat));
  });

  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

  it.skipIf(process.platform === 'win32')('is for its owner alone, also one that an earlier version made', async () => {
    location = join(location, 'below');
    folder = join(location, dataFolder);
    await (await open()).close();
    expect(await modeOf(folder)).toBe(0o700);

    await chmod(folder, 0o755);
    await (await open()).close();
    expect(await modeOf(folder)).toBe(0o700);
  });

  it.skipIf(process.platform === 'win32')(
    'is for the group, too, if its location is shared with the group',
    async () => {
      await chmod(location, 0o2770);
      await (await open()).close();
      expect(await modeOf(folder)).toBe(0o770);
    },
  );

  it('keeps the data of a store', async () => {
    const first = await open();
    await first.createTable(account, 'Table');
    await commit(first, 'Table', insert(keyAt('r')));
    await first.close();
    const second = await open();
    expect(await rowsOf(second, 'Table')).toEqual(['p/r']);
    await second.close();
  });

  it('is closed again if its file with the format cannot be written', async () => {
    await mkdir(folder);
    const blocked = join(folder, 'FORMAT.new');
    await mkdir(blocked);
    expect(await rejectionToOpen()).toMatch(`The data in ${folder} cannot be opened: EISDIR`);
    await rm(blocked, { recursive: true });
    await (await open()).close();
  });

  it('has its format in the file FORMAT before LevelDB opens and after it is closed, so that other versions reject it', async () => {
    const format = () => readFileSync(join(folder, 'FORMAT'), 'utf8').trim();
    for (let start = 0; start < 2; start++) {
      const store = await openFolder(
        location,
        { clock: createClock(), cacheBytes: 0 },
        {
          makeEngine(path) {
            expect(format()).toBe(start === 0 ? `${currentFormat} new` : String(currentFormat));
            return makeEngine(path);
          },
        },
      );
      expect(format()).toBe(String(currentFormat));
      await store.close();
      expect(format()).toBe(String(currentFormat));
      expect(await withLevel((level) => level.get(formatKey))).toBe(String(currentFormat));
    }
  });

  it('is opened by one process at a time; the second gets an error, the first continues', async () => {
    const first = await open();
    expect(await rejectionToOpen()).toBe(
      `The data in ${folder} is in use by another process. Stop it, or choose another --location.`,
    );
    await first.createTable(account, 'Table');
    await commit(first, 'Table', insert(keyAt('r')));
    await first.close();
    await (await open()).close();
  });

  it('is rejected and left unchanged if it has another format', async () => {
    const newer = [
      ['entity\u0000whatever', 'new'],
      [formatKey, String(currentFormat + 1)],
    ];
    await withLevel((level) => level.batch(newer.map(([key = '', value = '']) => ({ type: 'put', key, value }))));
    expect(await rejectionToOpen()).toBe(
      `The data in ${folder} has format ${currentFormat + 1}; this version reads format ${currentFormat}. ` +
        'Use the version that wrote it, export with that version and import with this one, or choose another --location.',
    );
    expect(await withLevel((level) => level.iterator().all())).toEqual(newer);
  });

  it('is rejected and left unchanged if it contains the LevelDB of another program', async () => {
    await withLevel((level) => level.put('theirs', 'precious'));
    expect(await rejectionToOpen()).toBe(
      `The folder ${folder} holds a LevelDB that is not Tabularium's. Choose another --location.`,
    );
    expect(await withLevel((level) => level.iterator().all())).toEqual([['theirs', 'precious']]);
  });

  it('is rejected with a remedy if it is damaged', async () => {
    await (await open()).close();
    for (const name of await readdir(folder)) {
      if (name.startsWith('MANIFEST')) await writeFile(join(folder, name), 'this is not a manifest');
    }
    expect(await rejectionToOpen()).toMatch(/^The data in .* is damaged: .*\. Nothing was changed\. Restore a copy/);
  });

  it('is rejected if it cannot be created', async () => {
    await mkdir(location, { recursive: true });
    await writeFile(folder, 'a file where the folder should be');
    expect(await rejectionToOpen()).toContain(`The data in ${folder} cannot be opened: `);
  });
});
