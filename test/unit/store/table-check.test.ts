import { copyFileSync, statSync, truncateSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClock } from '../../../src/entity/clock.js';
import type { StoreError } from '../../../src/store/format.js';
import type { LevelStore } from '../../../src/store/level-store.js';
import { openStore } from '../../../src/store/open-store.js';
import { TableCheck } from '../../../src/store/table-check.js';
import { filesOf, fillFolder, flipBit } from '../../support/data-folder.js';
import { rowsOf } from './changes.js';
import { makeFolder } from './open-store-on.js';

let location: string;
let folder: string;
beforeEach(async () => {
  location = await makeFolder();
  folder = await fillFolder(location);
});
afterEach(() => rm(location, { recursive: true }));

/** Opens the store without having looked into its tables; what is found of them later is told. */
function openUnchecked(damaged: (error: StoreError) => void, report?: (error: unknown) => void): Promise<LevelStore> {
  const options = { clock: createClock(), location, cacheBytes: 0, checkedBytes: 0, damaged };
  return openStore(report ? { ...options, report } : options);
}

describe('The tables that a start had no time for', () => {
  it('are looked at while the store is open, and say that they are damaged', async () => {
    const path = filesOf(folder, /\.ldb$/)[0] ?? '';
    flipBit(path, 8 * 1000);
    let tell: (error: StoreError) => void = () => {};
    const told = new Promise<StoreError>((resolve) => {
      tell = resolve;
    });
    const store = await openUnchecked((fault) => tell(fault));
    const error = await told;
    await store.close();

    expect(error.message).toBe(
      `The data in ${folder} is damaged: the file ${basename(path)} is damaged. Restore a copy of the folder.`,
    );
  });

  it('are missed at once, or when they are of another length', async () => {
    const path = filesOf(folder, /\.ldb$/)[0] ?? '';
    truncateSync(path, 1000);
    await expect(openUnchecked(() => {})).rejects.toThrow(`the file ${basename(path)} is damaged`);
    await rm(path);
    await expect(openUnchecked(() => {})).rejects.toThrow(`the file ${basename(path)} is missing`);
  });

  it('say nothing when they are whole, and answer meanwhile', async () => {
    const faults: unknown[] = [];
    const store = await openUnchecked(
      (error) => faults.push(error),
      (error) => faults.push(error),
    );
    expect(await rowsOf(store, 'Table')).not.toEqual([]);
    await store.close();

    expect(faults).toEqual([]);
  });
});

describe('A check of tables', () => {
  const tables = () => filesOf(folder, /\.ldb$/).map((path) => ({ name: basename(path), size: statSync(path).size }));

  it('finds the damage of a file that is no longer there', async () => {
    const path = join(folder, tables()[0]?.name ?? '');
    flipBit(path, 8 * 1000);
    const check = await TableCheck.hold(folder, tables());
    await rm(path);

    expect(await check.run()).toBe(basename(path));
  });

  it('that is stopped looks no further', async () => {
    for (const { name } of tables()) flipBit(join(folder, name), 8 * 1000);
    const check = await TableCheck.hold(folder, tables());
    await check.stop();

    expect(await check.run()).toBeUndefined();
  });

  it('looks at more files than it holds, and passes over those that LevelDB took away', async () => {
    const [whole] = tables();
    if (!whole) throw new Error('the store has a table');
    const damaged = { ...whole, name: 'damaged.ldb' };
    copyFileSync(join(folder, whole.name), join(folder, damaged.name));
    flipBit(join(folder, damaged.name), 8 * 1000);
    const held = Array.from({ length: 500 }, () => whole);

    expect(await (await TableCheck.hold(folder, [...held, damaged])).run()).toBe(damaged.name);
    expect(await (await TableCheck.hold(folder, [...held, { ...whole, name: 'gone' }])).run()).toBeUndefined();
  });

  it('that failed can be stopped all the same', async () => {
    const check = await TableCheck.hold(folder, [{ name: '.', size: 0 }]);

    await expect(check.run()).rejects.toThrow('EISDIR');
    await expect(check.stop()).resolves.toBeUndefined();
  });

  it('finds nothing in a store that is whole', async () => {
    expect(await (await TableCheck.hold(folder, tables())).run()).toBeUndefined();
  });
});
