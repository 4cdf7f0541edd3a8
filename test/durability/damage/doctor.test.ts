import { copyFileSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { examineData } from '../../../src/commands/doctor/examine.js';
import { dataFolder } from '../../../src/store/level/open-folder.js';
import { configOf } from '../../support/clients/parse-command.js';
import { eachInFolder, startChild } from '../../support/programs/child-server.js';
import { filesOf, fillFolder, fingerprint, flipBit, openAt } from '../../support/programs/data-folder.js';

let location: string;
let folder: string;
eachInFolder((made) => {
  location = made;
  folder = join(location, dataFolder);
});

/** Returns all files of the location with their contents, permissions and times. */
function stateOf(): unknown {
  const names = readdirSync(location, { recursive: true, encoding: 'utf8' }).sort();
  return {
    contents: readdirSync(location).includes(dataFolder) && fingerprint(folder),
    files: names.map((name) => {
      const { mode, size, mtimeMs, ctimeMs, ino } = lstatSync(join(location, name));
      return { name, mode, size, mtimeMs, ctimeMs, ino };
    }),
  };
}

/** Returns the finding of the doctor, after checking that the doctor changed nothing. */
async function examine() {
  const before = stateOf();
  const finding = await examineData(configOf(['-l', location]));
  expect(stateOf()).toEqual(before);
  return finding;
}

describe('The doctor changes nothing and reports', () => {
  it('a location without a data folder', async () => {
    expect((await examine()).result).toBe(`${folder} will be created at the first start`);
  });

  it('a data folder that is empty', async () => {
    mkdirSync(folder);
    expect(await examine()).toEqual({ about: 'data', result: `${folder} can be opened` });
  });

  it('a store that can be opened', async () => {
    await fillFolder(location);
    expect(await examine()).toEqual({ about: 'data', result: `${folder} can be opened` });
    await (await openAt(location)).close();
  });

  it('a store with leftover files of a killed process, whose numbers LevelDB will use for new files', async () => {
    await fillFolder(location);
    const [table = ''] = filesOf(folder, /\.ldb$/);
    const newest = Math.max(...readdirSync(folder).map((name) => Number(/\d+/.exec(name)?.[0] ?? 0)));
    for (let number = newest + 1; number < newest + 10; number++) {
      copyFileSync(table, join(folder, `${String(number).padStart(6, '0')}.ldb`));
    }
    writeFileSync(join(folder, `MANIFEST-${String(newest + 1).padStart(6, '0')}`), 'left over');
    expect(await examine()).toEqual({ about: 'data', result: `${folder} can be opened` });
  });

  it('a store that is damaged', async () => {
    await fillFolder(location);
    const [table = ''] = filesOf(folder, /\.ldb$/);
    flipBit(table, 8 * 1000);
    expect(await examine()).toEqual({
      about: 'data',
      result: `The data in ${folder} is damaged: the file ${basename(table)} is damaged.`,
      remedy: 'Nothing was changed. Restore a copy of the folder.',
    });
  });

  it('a store that another process uses', async () => {
    const server = await startChild({ location });
    await server.client().post('/Tables', { TableName: 'Kept' });
    expect(await examine()).toEqual({
      about: 'data',
      result: `The data in ${folder} is in use by another process.`,
      remedy: 'Stop it, or choose another --location.',
    });
    await server.client().post('/Tables', { TableName: 'More' });
    await server.stop('SIGTERM');
  });
});
