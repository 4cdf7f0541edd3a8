import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClock } from '../../../../../src/clock/clock.js';
import type { Engine } from '../../../../../src/store/level/engine/engine.js';
import { FileLog } from '../../../../../src/store/level/log/file-log.js';
import { type LogFiles, systemFiles } from '../../../../../src/store/level/log/log-files.js';
import { emptyLog } from '../../../../../src/store/level/log/read-segments.js';
import { segmentName } from '../../../../../src/store/level/log/segment-header.js';
import { Tail } from '../../../../../src/store/level/log/tail.js';
import { dataFolder, openFolder } from '../../../../../src/store/level/open-folder.js';
import { interceptBatches } from '../../../../support/clients/intercept-batches.js';
import { LossyDisk } from '../../../../support/failing-store/lossy-disk.js';
import { openAt } from '../../../../support/programs/data-folder.js';
import { makeFolder } from '../../../../support/programs/make-folder.js';
import { copyAsKilled } from '../../../../support/store/copy-as-killed.js';
import { openLevelOn } from '../../../../support/store/open-level-on.js';
import {
  account,
  commit,
  insert,
  keyAt,
  readEntity,
  replace,
  rowsOf,
} from '../../../../support/store/store-changes.js';

afterEach(() => vi.restoreAllMocks());

/** Returns how many of 3,000 rows a reader misses while LevelDB has some of the batches that contain them. */
async function missedBetweenBatches(): Promise<number> {
  const tested = await openLevelOn('LevelDB');
  const store = tested.store();
  await store.createTable(account, 'Table');
  await store.swept();
  const rows = Array.from({ length: 3000 }, (_, at) => keyAt(`r${at}`));
  const missed: number[] = [];
  interceptBatches(tested.engine, async (write) => {
    await write();
    const found = await Promise.all(rows.map((key) => readEntity(store, 'Table', key)));
    missed.push(found.filter((text) => text === undefined).length);
  });
  await Promise.all(rows.map((key) => commit(store, 'Table', insert(key))));
  await store.swept();
  expect(missed.length).toBeGreaterThan(2);
  await tested.dispose();
  return Math.max(...missed);
}

describe('a reader', () => {
  it('sees every commit, however much of it LevelDB has', async () => {
    expect(await missedBetweenBatches()).toBe(0);
  });

  it('of a store whose tail forgets what LevelDB may lack is found out', async () => {
    const { take } = Tail.prototype;
    vi.spyOn(Tail.prototype, 'take').mockImplementation(function (this: Tail) {
      const changes = Array.from(take.call(this));
      this.forgetBatches();
      return changes;
    });
    expect(await missedBetweenBatches()).toBeGreaterThan(0);
  });
});

/** Returns the rows after a write whose sync failed, and a kill. */
async function rowsAfterFailedSync(): Promise<readonly string[]> {
  const [location, copy] = [await makeFolder(), await makeFolder()];
  let isBroken = false;
  const store = await openFolder(
    location,
    { clock: createClock(), cacheBytes: 0, durability: 'fsync' },
    {
      logOptions: {
        files: {
          ...systemFiles,
          async sync(descriptor) {
            if (isBroken) {
              isBroken = false;
              throw new Error('EIO: i/o error, fdatasync');
            }
            await systemFiles.sync(descriptor);
          },
        },
      },
    },
  );
  await store.createTable(account, 'Table');
  await commit(store, 'Table', insert(keyAt('before')));
  isBroken = true;
  await expect(commit(store, 'Table', insert(keyAt('rejected')))).rejects.toThrow('EIO');
  copyAsKilled(location, copy);
  const again = await openAt(copy);
  const rows = await rowsOf(again, 'Table');
  await again.close();
  await commit(store, 'Table', insert(keyAt('later')));
  expect(await rowsOf(store, 'Table')).toEqual(['p/before', 'p/later']);
  await store.close();
  for (const folder of [location, copy]) await rm(folder, { recursive: true });
  return rows;
}

describe('a write whose sync failed', () => {
  it('leaves nothing, also if the process is killed', async () => {
    expect(await rowsAfterFailedSync()).toEqual(['p/before']);
  });

  it('in a store that does not take it back is found out', async () => {
    vi.spyOn(FileLog.prototype, 'cancel').mockResolvedValue();
    expect(await rowsAfterFailedSync()).toEqual(['p/before', 'p/rejected']);
  });
});

it('A sync of the log does not end before the disk has the name of a new segment, also beside another sync', async () => {
  const folder = await makeFolder();
  let held: (() => void)[] | undefined;
  const syncFolder = async () => {
    await new Promise<void>((resolve) => (held ? held.push(resolve) : resolve()));
  };
  const log = await FileLog.open(folder, emptyLog, { files: { ...systemFiles, syncFolder } });
  await log.start();
  log.append([{ key: 'a', value: '1' }]);
  await log.turn();
  log.append([{ key: 'b', value: '2' }]);
  held = [];
  const first = log.sync();
  await vi.waitFor(() => expect(held).toHaveLength(1));
  let hasEnded = false;
  const second = log.sync().then(() => {
    hasEnded = true;
  });
  await Promise.race([second, new Promise((resolve) => setTimeout(resolve, 100))]);
  expect(hasEnded).toBe(false);
  for (const end of held.splice(0)) end();
  await Promise.all([first, second]);
  log.close();
  await rm(folder, { recursive: true });
});

it('A segment that has lost its header is not taken for damage when a power failure keeps it and not those before it', async () => {
  const location = await makeFolder();
  const data = join(location, dataFolder);
  const opening = { clock: createClock(), cacheBytes: 0 };
  let store = await openFolder(location, opening);
  await store.createTable(account, 'Table');
  await commit(store, 'Table', insert(keyAt('a')));
  await store.close();
  // The name of the next segment is on disk, and nothing of its content.
  await writeFile(join(data, segmentName(2)), '');
  // Of the deletions, that of the first segment reaches the disk.
  const files: LogFiles = {
    ...systemFiles,
    async remove(path) {
      if (path.endsWith(segmentName(1))) await systemFiles.remove(path);
    },
  };
  store = await openFolder(location, opening, { logOptions: { files, fileBytes: 1 } });
  await commit(store, 'Table', insert(keyAt('b')));
  await vi.waitFor(() => expect(existsSync(join(data, segmentName(1)))).toBe(false));
  await store.close();
  store = await openFolder(location, opening);
  expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b']);
  await store.close();
  await rm(location, { recursive: true });
});

it('After a failed sync LevelDB proves what it has: a power failure before the log begins again loses none of it', async () => {
  const [location, copy] = [await makeFolder(), await makeFolder()];
  const disk = new LossyDisk(false);
  const store = await openFolder(location, { clock: createClock(), cacheBytes: 0 }, { logOptions: { files: disk } });
  await store.createTable(account, 'Table');
  await commit(store, 'Table', insert(keyAt('a'), 1));
  await store.swept();
  await commit(store, 'Table', replace(keyAt('a'), 2, '*'));
  await commit(store, 'Table', insert(keyAt('b')));
  // It takes other files, or the engine would not be reopened.
  disk.fails = (path) => /COMMITS-\d+$/.test(path);
  await store.swept().catch(() => {});
  await expect(commit(store, 'Table', insert(keyAt('rejected')))).rejects.toThrow('EIO');
  copyAsKilled(location, copy);
  // Only what was synced is on disk.
  disk.lose(join(copy, dataFolder), () => 0);
  let again = await openAt(copy);
  for (const row of ['c', 'd']) {
    expect(await rowsOf(again, 'Table')).toEqual(['p/a', 'p/b', 'p/c', 'p/d'].slice(0, row === 'c' ? 2 : 3));
    expect(await readEntity(again, 'Table', keyAt('a'))).toContain('"N":2');
    await commit(again, 'Table', insert(keyAt(row)));
    await again.close();
    again = await openAt(copy);
  }
  await again.close();
  disk.fails = () => false;
  await store.close();
  for (const folder of [location, copy]) await rm(folder, { recursive: true });
});

it('After a failed sync LevelDB gets all or nothing, because the disk may lack what the log has of it', async () => {
  const [location, copy] = [await makeFolder(), await makeFolder()];
  const disk = new LossyDisk(false);
  let batchesLeft = Number.POSITIVE_INFINITY;
  const store = await openFolder(
    location,
    { clock: createClock(), cacheBytes: 0 },
    {
      logOptions: { files: disk },
      async makeEngine(folder) {
        const engine = new Level<string, string>(folder) as unknown as Engine;
        interceptBatches(engine, async (write, options) => {
          if (!options && batchesLeft-- <= 0) throw new Error('EIO: i/o error, write');
          await write();
        });
        return engine;
      },
    },
  );
  await store.createTable(account, 'Table');
  await commit(store, 'Table', insert(keyAt('first'), 1));
  await store.swept();
  disk.fails = () => true;
  const rows = Array.from({ length: 2000 }, (_, at) => keyAt(`r${at}`));
  await Promise.all(rows.map((key) => commit(store, 'Table', insert(key))));
  await commit(store, 'Table', replace(keyAt('first'), 2, '*'), insert(keyAt('last')));
  await store.swept().catch(() => {});
  disk.fails = () => false;
  batchesLeft = 1;
  await commit(store, 'Table', insert(keyAt('later'))).catch(() => {});
  copyAsKilled(location, copy);
  // Only what was synced is on disk.
  disk.lose(join(copy, dataFolder), () => 0);
  const again = await openAt(copy);
  const found = new Set(await rowsOf(again, 'Table'));
  const first = (await readEntity(again, 'Table', keyAt('first'))) ?? '';
  expect([first.includes('"N":2'), rows.filter(({ rowKey }) => found.has(`p/${rowKey}`)).length]).toEqual(
    found.has('p/last') ? [true, rows.length] : [false, 0],
  );
  await again.close();
  batchesLeft = Number.POSITIVE_INFINITY;
  await store.close();
  for (const folder of [location, copy]) await rm(folder, { recursive: true });
});
