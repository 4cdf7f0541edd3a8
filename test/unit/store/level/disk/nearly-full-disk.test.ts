import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClock } from '../../../../../src/clock/clock.js';
import { systemFiles } from '../../../../../src/store/level/log/log-files.js';
import { type LevelUnderTest, openLevelOn } from '../../../../support/store/open-level-on.js';
import { account, commit, insert, keyAt, rowsOf } from '../../../../support/store/store-changes.js';

describe('a store on a disk that is nearly full', () => {
  let tested: LevelUnderTest;
  /** What the disk has. The engine needs twice what the log has, and a little more. */
  let free = Number.POSITIVE_INFINITY;
  /** How much the log had each time that somebody looked. */
  let looked: number[] = [];
  let isFull = false;
  const little = 1000;
  beforeEach(async () => {
    free = Number.POSITIVE_INFINITY;
    looked = [];
    isFull = false;
    const checkFreeSpace = async (unprovedBytes = 0) => {
      looked.push(unprovedBytes);
      if (free < 2 * unprovedBytes + little) throw new Error('the disk is full');
    };
    const create: typeof systemFiles.create = (path) => {
      if (isFull) throw new Error('no space left on device');
      return systemFiles.create(path);
    };
    const logOptions = { files: { ...systemFiles, create } };
    tested = await openLevelOn('LevelDB', createClock(), { checkFreeSpace, logOptions });
    await tested.store().createTable(account, 'Table');
    await tested.store().swept();
  });
  afterEach(() => tested.dispose());

  const insertRow = (row: string) => commit(tested.store(), 'Table', insert(keyAt(row)));

  it('gives the engine everything in time, and continues with a short log', async () => {
    await insertRow('a');
    free = little + 2 * (looked.at(-1) ?? 0);
    await tested.store().swept();
    const [, atLast = 0] = looked.slice(-2);
    expect(looked.at(-2)).toBeGreaterThan(atLast);
    await insertRow('b');
    expect(await rowsOf(tested.store(), 'Table')).toEqual(['p/a', 'p/b']);
  });

  it('rejects writes before they are in the log, while the engine has space for those before; reads continue', async () => {
    await insertRow('a');
    free = little - 1;
    await expect(tested.store().swept()).rejects.toThrow('the disk is full');
    for (const row of ['b', 'c']) await expect(insertRow(row)).rejects.toThrow('the disk is full');
    await expect(tested.store().createTable(account, 'Another')).rejects.toThrow('the disk is full');
    await expect(tested.store().checkWrites()).rejects.toThrow('the disk is full');
    expect(await rowsOf(tested.store(), 'Table')).toEqual(['p/a']);

    free = Number.POSITIVE_INFINITY;
    await tested.store().checkWrites();
    await insertRow('d');
    await tested.reopen();
    expect(await rowsOf(tested.store(), 'Table')).toEqual(['p/a', 'p/d']);
  });

  it('rejects writes if there is not even space for a new segment of the log, and continues when there is', async () => {
    await insertRow('a');
    [isFull, free] = [true, little - 1];
    await expect(tested.store().swept()).rejects.toThrow('no space left');
    await expect(insertRow('b')).rejects.toThrow('the disk is full');
    [isFull, free] = [false, Number.POSITIVE_INFINITY];
    await insertRow('c');
    await tested.reopen();
    expect(await rowsOf(tested.store(), 'Table')).toEqual(['p/a', 'p/c']);
  });
});
