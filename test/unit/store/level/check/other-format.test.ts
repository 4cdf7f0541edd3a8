import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examineFolder } from '../../../../../src/store/level/check/check-folder.js';
import { currentFormat } from '../../../../../src/store/level/format-file.js';
import { dataFolder } from '../../../../../src/store/level/open-folder.js';
import { filesOf, openAt } from '../../../../support/programs/data-folder.js';
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

describe.each([`${newer}`, `${newer} new`, '10', '17 anything', `${currentFormat} later`])(
  'a folder whose file FORMAT says %j, of another version,',
  (text) => {
    it.each([
      ['stopped', false],
      ['killed', true],
    ])(
      'is rejected as that version left it, which was %s: no file is changed, made or removed',
      async (_, isKilled) => {
        await fill(isKilled);
        writeFileSync(join(folder, 'FORMAT'), `${text}\n`);
        const before = [stateOf(location), stateOf(folder)];
        const message = expect.stringContaining(`has format ${text}; this version reads format ${currentFormat}.`);
        for (const open of [() => openAt(location), () => examineFolder(folder)]) {
          await expect(open()).rejects.toMatchObject({ code: 'other-format', message });
          expect([stateOf(location), stateOf(folder)]).toEqual(before);
        }
      },
    );

    it('is rejected although its other files are unknown', async () => {
      await fill(false);
      for (const path of filesOf(folder, /./)) rmSync(path);
      writeFileSync(join(folder, 'FORMAT'), `${text}\n`);
      writeFileSync(join(folder, 'SEGMENTS'), 'of another engine');
      const before = stateOf(folder);
      await expect(openAt(location)).rejects.toMatchObject({ code: 'other-format' });
      expect(stateOf(folder)).toEqual(before);
    });
  },
);

it('shows a text of FORMAT in print, and no more than its beginning', async () => {
  await fill(false);
  writeFileSync(join(folder, 'FORMAT'), `\u001b[2J\u009b1m${'x'.repeat(100_000)}`, 'latin1');
  for (const open of [() => openAt(location), () => examineFolder(folder)]) {
    await expect(open()).rejects.toMatchObject({
      fault: `The data in ${folder} has format ?[2J?1m${'x'.repeat(33)}…; this version reads format ${currentFormat}.`,
    });
  }
});
