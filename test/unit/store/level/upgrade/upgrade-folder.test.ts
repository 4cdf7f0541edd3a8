import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatKey } from '../../../../../src/store/level/engine/key-encoding.js';
import { segmentName } from '../../../../../src/store/level/log/segment-header.js';
import { dataFolder } from '../../../../../src/store/level/open-folder.js';
import { makeOlder, openAt } from '../../../../support/programs/data-folder.js';
import { makeFolder } from '../../../../support/programs/make-folder.js';
import { account, commit, insert, keyAt, rowsOf } from '../../../../support/store/store-changes.js';

let location: string;
let folder: string;
beforeEach(async () => {
  location = await makeFolder();
  folder = join(location, dataFolder);
  const store = await openAt(location);
  await store.createTable(account, 'Table');
  for (const row of ['a', 'b', 'c']) await commit(store, 'Table', insert(keyAt(row)));
  await store.close();
});
afterEach(() => rm(location, { recursive: true }));

async function withLevel<T>(work: (level: Level<string, string>) => Promise<T>): Promise<T> {
  const level = new Level<string, string>(folder);
  try {
    return await work(level);
  } finally {
    await level.close();
  }
}

async function expectUpgraded(): Promise<void> {
  const reports: unknown[] = [];
  for (let start = 0; start < 2; start++) {
    const store = await openAt(location, (report) => reports.push(report));
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b', 'p/c']);
    await store.close();
    expect(readFileSync(join(folder, 'FORMAT'), 'utf8')).toBe('5\n');
    expect(await withLevel((level) => level.get(formatKey))).toBe('5');
  }
  expect(reports).toEqual([]);
}

describe('a folder of version 0.1.0', () => {
  it('is upgraded', async () => {
    await makeOlder(folder);
    await expectUpgraded();
  });

  it('is upgraded if its file FORMAT is missing', async () => {
    await makeOlder(folder);
    rmSync(join(folder, 'FORMAT'));
    await expectUpgraded();
  });

  it.each([Buffer.alloc(0), Buffer.alloc(40), Buffer.from('anything')])(
    'is upgraded to the end if a power failure has left this of its first segment: %o',
    async (bytes) => {
      await makeOlder(folder);
      writeFileSync(join(folder, 'FORMAT'), '5 upgrade\n');
      writeFileSync(join(folder, segmentName(1)), bytes);
      await expectUpgraded();
    },
  );

  it('keeps its format if a record cannot be read', async () => {
    await makeOlder(folder);
    const [key = ''] = await withLevel((level) => level.keys({ gte: 'table', lt: 'tablf' }).all());
    await withLevel((level) => level.put(key, 'null'));
    await expect(openAt(location)).rejects.toThrow('the record of the table table of the account');
    expect(readFileSync(join(folder, 'FORMAT'), 'utf8')).toBe('1\n');
    expect(existsSync(join(folder, segmentName(1)))).toBe(false);
  });
});
