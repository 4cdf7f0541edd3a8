import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { examineFolder } from '../../../../../src/store/level/check/check-folder.js';
import { currentFormat } from '../../../../../src/store/level/format-file.js';
import { dataFolder } from '../../../../../src/store/level/open-folder.js';
import type { Store } from '../../../../../src/store/store.js';
import { StoreError } from '../../../../../src/store/store-error.js';
import { runs } from '../../../../support/arbitrary/property-runs.js';
import {
  fileOf,
  filesOf,
  filledRows,
  fillFolder,
  fingerprint,
  flipBit,
  openAt,
} from '../../../../support/programs/data-folder.js';
import { makeFolder } from '../../../../support/programs/make-folder.js';
import { account, keyAt, numberOf, readEntity, rowsOf } from '../../../../support/store/store-changes.js';

/** The folder of a filled store that no test changes. */
let original: string;
let location: string;
let folder: string;
beforeAll(async () => {
  original = await makeFolder();
  await fillFolder(original);
});
afterAll(() => rm(original, { recursive: true }));
beforeEach(async () => {
  location = await makeFolder();
  cpSync(original, location, { recursive: true });
  folder = join(location, dataFolder);
});
afterEach(() => rm(location, { recursive: true }));

/** Returns the error message of a store that does not open. Expects unchanged files. */
async function rejection(): Promise<string> {
  const before = fingerprint(folder);
  const error: unknown = await openAt(location).then(
    async (store) => {
      await store.close();
      throw new Error('the store opened');
    },
    (reason: unknown) => reason,
  );
  if (!(error instanceof StoreError)) throw error;
  expect(fingerprint(folder)).toEqual(before);
  return error.message;
}

function damagedBy(reason: string): string {
  return `The data in ${folder} is damaged: ${reason}. Nothing was changed. Restore a copy of the folder.`;
}

/** Expects that every row that is there is right, and gives how many are. */
async function countRight(store: Store): Promise<number> {
  const rows = (await rowsOf(store, 'Table')).filter((row) => row.startsWith('p/'));
  for (const row of rows) {
    const number = Number(row.slice('p/r'.length));
    expect(numberOf(await readEntity(store, 'Table', keyAt(`r${number}`)))).toBe(number);
  }
  return rows.length;
}

describe('a store is rejected, and left unchanged,', () => {
  it.each([
    ['without CURRENT', /^CURRENT$/],
    ['without its manifest', /^MANIFEST-/],
    ['without one of its tables', /\.ldb$/],
  ])('%s', async (_, name) => {
    const [missing = ''] = filesOf(folder, name);
    unlinkSync(missing);
    expect(await rejection()).toBe(damagedBy(`the file ${basename(missing)} is missing`));
  });

  it('when CURRENT is empty or has other content', async () => {
    for (const text of ['', 'MANIFEST', '../MANIFEST-000002\n', 'MANIFEST-000002x\n']) {
      writeFileSync(join(folder, 'CURRENT'), text);
      expect(await rejection()).toBe(damagedBy('the file CURRENT is damaged'));
    }
  });

  it('when only the file FORMAT is left of it', async () => {
    for (const name of Object.keys(fingerprint(folder))) if (name !== 'FORMAT') unlinkSync(join(folder, name));
    expect(await rejection()).toBe(damagedBy('the file CURRENT is missing'));
  });

  it('when a table file was truncated or grew', async () => {
    const [table = ''] = filesOf(folder, /\.ldb$/);
    const bytes = readFileSync(table);
    for (const other of [bytes.subarray(0, 5000), bytes.subarray(1), Buffer.concat([bytes, bytes]), Buffer.alloc(0)]) {
      writeFileSync(table, other);
      expect(await rejection()).toMatch(/ is damaged: the file \d+\.ldb is damaged\. /);
    }
  });

  it('without the newest file of its log, which the message names', async () => {
    const segments = filesOf(folder, /^COMMITS-/).toSorted();
    const [before = '', newest = ''] = segments.slice(-2);
    unlinkSync(newest);
    const cut = `or ${basename(before)} was cut at byte ${readFileSync(before).length}`;
    const known = /commit \d+ was on disk/;
    const message = await rejection();
    expect(message.replace(known, 'N')).toBe(damagedBy(`the file ${basename(newest)} is missing, ${cut}: N`));
  });

  it.each([0.25, 0.8])('when the newest file of its log was cut at %d of its length', async (share) => {
    const newest =
      filesOf(folder, /^COMMITS-/)
        .toSorted()
        .at(-1) ?? '';
    truncateSync(newest, Math.floor(share * readFileSync(newest).length));
    expect(await rejection()).toMatch(` is damaged: the file ${basename(newest)} ends at byte `);
  });

  it('when its manifest was truncated to a state before its table files', async () => {
    const manifest = fileOf(folder, /^MANIFEST-/);
    truncateSync(manifest, 60);
    expect(await rejection()).toMatch(/ is damaged: the file .* is (missing|damaged)\. /);
  });
});

describe('a manifest that ends within an edit', () => {
  it.each([
    ['cut off there', 0],
    ['followed by zeros', 700],
  ])('%s, which LevelDB has never used, is cut before LevelDB opens it', async (_, zeros) => {
    const manifest = fileOf(folder, /^MANIFEST-/);
    const bytes = readFileSync(manifest);
    writeFileSync(manifest, Buffer.concat([bytes, bytes.subarray(0, 30), Buffer.alloc(zeros)]));
    expect(await examineFolder(folder)).toBeUndefined();
    const store = await openAt(location);
    expect(await countRight(store)).toBe(filledRows);
    await store.close();
  });
});

describe('a folder without a store', () => {
  it.each([
    ['has no manifest', { CURRENT: 'MANIFEST-000002\n', 'MANIFEST-000001': '' }],
    ['has an empty manifest', { CURRENT: 'MANIFEST-000001\n', 'MANIFEST-000001': '' }],
    [
      'has zeros in its files',
      { CURRENT: '\0'.repeat(16), 'MANIFEST-000001': '\0'.repeat(50), '000003.log': '\0'.repeat(99) },
    ],
    ['has only its log', { '000003.log': '' }],
    ['has only the first segment', { 'COMMITS-00000001': '' }],
  ])('is used if a power failure during its first start left one that %s', async (_, files) => {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    for (const [name, text] of Object.entries({ FORMAT: `${currentFormat} new\n`, ...files }))
      writeFileSync(join(folder, name), text);
    await examineFolder(folder);
    const store = await openAt(location);
    await store.createTable(account, 'Table');
    expect(readFileSync(join(folder, 'FORMAT'), 'utf8')).toBe(`${currentFormat}\n`);
    await store.close();
    const again = await openAt(location);
    expect(again.listTables(account)).toMatchObject([{ name: 'Table' }]);
    await again.close();
  });

  it('is used, even if a process was killed during its first start in it', async () => {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    for (const name of ['LOCK', 'LOG', 'MANIFEST-000001', '000001.dbtmp']) writeFileSync(join(folder, name), '');
    const store = await openAt(location);
    await store.createTable(account, 'Table');
    await store.close();
    const again = await openAt(location);
    expect(again.listTables(account)).toMatchObject([{ name: 'Table' }]);
    await again.close();
  });
});

describe('any flipped bit of any file', () => {
  it('makes the store reject to open, or does not change any row', async () => {
    const names = Object.keys(fingerprint(folder)).filter((name) => name !== 'FORMAT');
    let rejected = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.nat(), async (name, at) => {
        rmSync(folder, { recursive: true });
        cpSync(join(original, dataFolder), folder, { recursive: true });
        const path = join(folder, name);
        flipBit(path, at % (8 * readFileSync(path).length));
        const before = fingerprint(folder);
        const store = await openAt(location).catch((error: unknown) => {
          if (!(error instanceof StoreError)) throw error;
        });
        if (store) {
          expect(await countRight(store)).toBe(filledRows);
          await store.close();
        } else {
          rejected++;
          expect(fingerprint(folder)).toEqual(before);
        }
      }),
      { numRuns: runs(60) },
    );
    expect(rejected).toBeGreaterThan(runs(60) / 3);
  });
});
