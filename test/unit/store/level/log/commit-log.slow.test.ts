import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { examineFolder } from '../../../../../src/store/level/check/check-folder.js';
import { segmentName } from '../../../../../src/store/level/log/segment-header.js';
import { dataFolder } from '../../../../../src/store/level/open-folder.js';
import type { Store } from '../../../../../src/store/store.js';
import { StoreError } from '../../../../../src/store/store-error.js';
import { filesOf, flipBit, openAt } from '../../../../support/programs/data-folder.js';
import { makeFolder } from '../../../../support/programs/make-folder.js';
import { copyAsKilled } from '../../../../support/store/copy-as-killed.js';
import { account, commit, insert, keyAt, rowsOf } from '../../../../support/store/store-changes.js';

describe('the log of commits', () => {
  let location: string;
  let copy: string;
  let store: Store;
  const reports: unknown[] = [];
  beforeEach(async () => {
    // The engine gets what is in the log when a test says so.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    reports.length = 0;
    location = await makeFolder();
    copy = await makeFolder();
    store = await openAt(location);
    await store.createTable(account, 'Table');
  });
  afterEach(async () => {
    await store.close();
    vi.useRealTimers();
    await rm(location, { recursive: true });
    await rm(copy, { recursive: true });
  });

  const logOf = (place: string, number = 1) => join(place, dataFolder, segmentName(number));
  const segmentsOf = (place: string) => filesOf(join(place, dataFolder), /^COMMITS-/);
  const sizeOf = (place: string) => segmentsOf(place).reduce((sum, path) => sum + statSync(path).size, 0);

  /** Writes rows, each in a commit of its own. The engine gets none of them at once. */
  async function write(...rows: readonly string[]): Promise<void> {
    for (const [at, row] of rows.entries()) await commit(store, 'Table', insert(keyAt(row), at));
  }

  /** Copies the data as a kill would leave it. */
  const kill = () => copyAsKilled(location, copy);

  async function rowsOfCopy(): Promise<readonly string[]> {
    const opened = await openAt(copy, (report) => reports.push(report));
    const rows = await rowsOf(opened, 'Table');
    await opened.close();
    return rows;
  }

  async function rejectionOfCopy(): Promise<string> {
    const rejection: unknown = await openAt(copy).then(
      (opened) => opened.close(),
      (error: unknown) => error,
    );
    if (!(rejection instanceof StoreError)) throw rejection;
    return rejection.message;
  }

  it('has what the engine lacks after a kill', async () => {
    await write('a', 'b', 'c');
    kill();
    expect(await rowsOfCopy()).toEqual(['p/a', 'p/b', 'p/c']);
    expect(reports).toEqual([]);
    // Nothing is written twice.
    expect(await rowsOfCopy()).toEqual(['p/a', 'p/b', 'p/c']);
  });

  it('is short after a close, and says that the disk has all of it', async () => {
    await write('a', 'b');
    await store.close();
    expect(sizeOf(location)).toBeLessThan(10_000);
    flipBit(logOf(location), 8 * (statSync(logOf(location)).size - 60));
    cpSync(location, copy, { recursive: true });
    expect(await rejectionOfCopy()).toMatch(/the file COMMITS-00000001 is damaged at byte \d+\./);
  });

  it('is freed when it is large, and loses nothing by that', async () => {
    const text = JSON.stringify('x'.repeat(20_000));
    const rows = Array.from({ length: 500 }, (_, at) => `r${String(at).padStart(3, '0')}`);
    let largest = 0;
    for (const [at, row] of [...rows, ...rows].entries()) {
      const properties = [{ name: 'T', type: 'Edm.String' as const, json: text, valueBytes: 40_000 }];
      await commit(store, 'Table', { kind: 'replace', key: keyAt(row), properties, ifMatch: undefined });
      largest = Math.max(largest, sizeOf(location));
      if (at === 450) kill();
    }
    expect(await rowsOfCopy()).toEqual(rows.slice(0, 451).map((row) => `p/${row}`));
    expect(largest).toBeGreaterThan(16 * 1024 * 1024);
    await store.swept();
    expect(sizeOf(location)).toBeLessThan(largest / 2);
    kill();
    expect(await rowsOfCopy()).toEqual(rows.map((row) => `p/${row}`));
  });

  it('is rejected after a kill if a file of it is missing, and is read when that is back', async () => {
    await write('a');
    await store.close();
    store = await openAt(location);
    await write('b');
    await store.swept();
    kill();
    rmSync(logOf(copy, 2));
    expect(await rejectionOfCopy()).toContain(
      'the file COMMITS-00000002 is missing, or COMMITS-00000001 was cut at byte ',
    );
    cpSync(logOf(location, 2), logOf(copy, 2));
    rmSync(logOf(copy));
    // LevelDB has it, and need not have had it.
    expect(await rowsOfCopy()).toEqual(['p/a', 'p/b']);
  });

  it('is rejected if all files but its own are gone', async () => {
    await write('a');
    kill();
    const folder = join(copy, dataFolder);
    for (const name of readdirSync(folder)) if (!name.startsWith('COMMITS')) rmSync(join(folder, name));
    expect(await rejectionOfCopy()).toContain('the file CURRENT is missing');
  });

  it('is rejected and left unchanged if a bit is flipped of what was on disk', async () => {
    await write('a', 'b', 'c');
    const { size } = statSync(logOf(location));
    await store.swept();
    await write('d');
    kill();
    for (const share of [0.1, 0.5, 0.9]) {
      const restore = flipBit(logOf(copy), Math.floor(share * size) * 8);
      const before = readFileSync(logOf(copy));
      expect(await rejectionOfCopy()).toContain('the file COMMITS-00000001 is damaged at byte');
      expect(readFileSync(logOf(copy))).toEqual(before);
      restore();
    }
    expect(await rowsOfCopy()).toEqual(['p/a', 'p/b', 'p/c', 'p/d']);
  });

  it('is read up to a commit that was cut off, with a warning', async () => {
    await write('a', 'b');
    kill();
    truncateSync(logOf(copy), statSync(logOf(copy)).size - 1);
    expect(await rowsOfCopy()).toEqual(['p/a']);
    expect(reports).toMatchObject([{ code: 'torn-write' }]);
  });

  it('is seen by the doctor, which changes nothing', async () => {
    await write('a', 'b');
    kill();
    const before = readFileSync(logOf(copy));
    expect(await examineFolder(join(copy, dataFolder))).toBeUndefined();
    expect(readFileSync(logOf(copy))).toEqual(before);
  });

  it('is not reported again at each start that keeps writes on disk', async () => {
    await write('a', 'b');
    kill();
    truncateSync(logOf(copy), statSync(logOf(copy)).size - 1);
    for (let start = 0; start < 3; start++) {
      const opened = await openAt(copy, (report) => reports.push(report), 'fsync');
      expect(await rowsOf(opened, 'Table')).toEqual(['p/a']);
      await opened.close();
    }
    expect(reports).toHaveLength(1);
  });
});
