import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examineStore } from '../../../../../src/store/level/check/examine-store.js';
import { formatKey } from '../../../../../src/store/level/engine/key-encoding.js';
import { currentFormat } from '../../../../../src/store/level/format-file.js';
import { dataFolder } from '../../../../../src/store/level/open-folder.js';
import { filesOf, fingerprint, makeOlder, openAt } from '../../../../support/programs/data-folder.js';
import { makeFolder } from '../../../../support/programs/make-folder.js';
import { copyAsKilled } from '../../../../support/store/copy-as-killed.js';
import { account, commit, insert, keyAt } from '../../../../support/store/store-changes.js';

let location: string;
let folder: string;
beforeEach(async () => {
  location = await makeFolder();
  folder = join(location, dataFolder);
});
afterEach(() => rm(location, { recursive: true }));

/** Returns everything that a program can change in a folder: names, contents, times, rights, and which file it is. */
function stateOf(at: string): readonly unknown[] {
  return readdirSync(at)
    .sort()
    .map((name) => {
      const stats = statSync(join(at, name));
      const { mtimeMs, ctimeMs, mode, ino, size } = stats;
      const content = stats.isDirectory() ? '' : readFileSync(join(at, name), 'latin1');
      return { name, mtimeMs, ctimeMs, mode, ino, size, content };
    });
}

/** Leaves a folder as a server does that was killed with commits that only its log has, or as one that was stopped. */
async function fill(isKilled: boolean): Promise<void> {
  const writing = isKilled ? `${location}-writing` : location;
  const store = await openAt(writing);
  await store.createTable(account, 'Table');
  await commit(store, 'Table', insert(keyAt('a')));
  if (isKilled) copyAsKilled(writing, location);
  await store.close();
  if (isKilled) rmSync(writing, { recursive: true });
}

const newer = currentFormat + 1;
const texts = [
  '2',
  '3',
  '4',
  '4 new',
  `${newer}`,
  `${newer} new`,
  `${newer} upgrade`,
  `${newer} copy`,
  '10',
  '17 anything',
  `${currentFormat} later`,
];

describe.each(texts)('a folder whose file FORMAT says %j, of a newer or an unreleased version,', (text) => {
  it.each([
    ['stopped', false],
    ['killed', true],
  ])('is rejected as that version left it, which was %s: no file is changed, made or removed', async (_, isKilled) => {
    await fill(isKilled);
    writeFileSync(join(folder, 'FORMAT'), `${text}\n`);
    const before = [stateOf(location), stateOf(folder)];
    const expected = {
      code: 'other-format',
      message: expect.stringContaining(
        `has format ${text}; this version reads format ${currentFormat}, and upgrades format 1.`,
      ),
    };
    const examine = () => examineStore(folder, () => {});
    for (const open of [() => openAt(location), examine]) {
      await expect(open()).rejects.toMatchObject(expected);
      expect([stateOf(location), stateOf(folder)]).toEqual(before);
    }
  });

  it('is rejected although its other files are unknown', async () => {
    await fill(false);
    for (const path of filesOf(folder, /./)) rmSync(path);
    writeFileSync(join(folder, 'FORMAT'), `${text}\n`);
    writeFileSync(join(folder, 'SEGMENTS'), 'of another engine');
    const before = stateOf(folder);
    await expect(openAt(location)).rejects.toMatchObject({ code: 'other-format' });
    expect(stateOf(folder)).toEqual(before);
  });
});

describe('a folder with the log COMMITS-1 and COMMITS-2 of an unreleased version', () => {
  it.each(['1', '5', '5 upgrade', ''])('is rejected as that version left it, when FORMAT says %j', async (text) => {
    await fill(false);
    await makeOlder(folder);
    writeFileSync(join(folder, 'FORMAT'), text);
    for (const name of ['COMMITS-1', 'COMMITS-2']) writeFileSync(join(folder, name), '');
    const before = fingerprint(folder);
    await expect(examineStore(folder, () => {})).rejects.toMatchObject({ code: 'other-format' });
    await expect(openAt(location)).rejects.toThrow(
      `The data in ${folder} has format 4; this version reads format ${currentFormat}, and upgrades format 1. ` +
        'Use the version that wrote it, export with that version and import with this one, or choose another --location.',
    );
    expect(fingerprint(folder)).toEqual(before);
  });
});

describe('a folder whose data has a format that its file FORMAT does not tell', () => {
  it.each(['2', '3', '4'])('is rejected, and stays as it was (%s)', async (format) => {
    await fill(false);
    await makeOlder(folder);
    const level = new Level<string, string>(folder);
    await level.put(formatKey, format);
    await level.close();
    for (const open of [() => examineStore(folder, () => {}), () => openAt(location)]) {
      await expect(open()).rejects.toThrow(`The data in ${folder} has format ${format}; `);
      expect(readFileSync(join(folder, 'FORMAT'), 'utf8')).toBe('1\n');
    }
    const again = new Level<string, string>(folder);
    expect(await again.get(formatKey)).toBe(format);
    await again.close();
  });
});
