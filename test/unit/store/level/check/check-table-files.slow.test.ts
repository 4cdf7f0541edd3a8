import { mkdirSync, readFileSync, statSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  checkTableFiles,
  readTableChecksums,
  writeTableChecksums,
} from '../../../../../src/store/level/check/check-folder.js';
import { filesOf, fillFolder, flipBit, openAt } from '../../../../support/programs/data-folder.js';
import { makeFolder } from '../../../../support/programs/make-folder.js';
import { rowsOf } from '../../../../support/store/store-changes.js';

let location: string;
let folder: string;
beforeEach(async () => {
  location = await makeFolder();
  folder = await fillFolder(location);
});
afterEach(() => rm(location, { recursive: true }));

const tables = () => filesOf(folder, /\.ldb$/).map((path) => ({ name: basename(path), size: statSync(path).size }));
const note = () => join(folder, 'CHECKED');

describe('The check of table files', () => {
  it('returns the checksums of files that were not noted, or undefined if all were', async () => {
    unlinkSync(note());
    const sums = await checkTableFiles(folder, tables());
    expect([...(sums?.keys() ?? [])]).toEqual(tables().map(({ name }) => name));

    await writeTableChecksums(folder, sums ?? new Map());
    expect(await checkTableFiles(folder, tables())).toBeUndefined();
  });

  it.each(['with', 'without'])('finds one flipped bit in any file, %s a note', async (kind) => {
    const sums = await checkTableFiles(folder, tables());
    if (kind === 'with') await writeTableChecksums(folder, sums ?? new Map());
    else unlinkSync(note());
    for (const { name, size } of tables()) {
      const flipBack = flipBit(join(folder, name), 4 * size);
      await expect(checkTableFiles(folder, tables())).rejects.toThrow(
        `the file ${name} is damaged. Nothing was changed.`,
      );
      flipBack();
    }
  });

  it('accepts a valid file with a different checksum in the note', async () => {
    const wrong = new Map(tables().map(({ name }) => [name, 0]));
    await writeTableChecksums(folder, wrong);
    const sums = await checkTableFiles(folder, tables());
    expect(sums?.size).toBe(wrong.size);
    expect([...(sums?.values() ?? [])]).not.toContain(0);
  });

  it('returns the checksums again if the note names files that no longer exist', async () => {
    const sums = new Map(await checkTableFiles(folder, tables()));
    await writeTableChecksums(folder, new Map([...sums, ['999999.ldb', 1]]));
    expect((await checkTableFiles(folder, tables()))?.has('999999.ldb')).toBe(false);
  });

  it('rejects a file that is missing or shorter than in the manifest', async () => {
    const [first = { name: '', size: 0 }] = tables();
    truncateSync(join(folder, first.name), 1000);
    await expect(checkTableFiles(folder, [first])).rejects.toThrow(`the file ${first.name} is damaged`);
    unlinkSync(join(folder, first.name));
    await expect(checkTableFiles(folder, [first])).rejects.toThrow('ENOENT');
  });
});

describe('The note of checked tables', () => {
  it('is written at the start, and LevelDB does not remove it', async () => {
    unlinkSync(note());
    // An upgrade rewrites the files, and the next start notes them.
    await (await openAt(location)).close();
    await (await openAt(location)).close();
    const written = readFileSync(note(), 'utf8');
    expect(written).toMatch(/^(?:[0-9a-f]{8} \d{6}\.ldb\n)+$/);

    await (await openAt(location)).close();
    expect((await readTableChecksums(folder)).size).toBeGreaterThan(0);
  });

  it.each(['', '{}', '\u0000\u0000', 'zzzzzzzz 000005.ldb\n'])('is ignored if it is invalid: %j', async (text) => {
    writeFileSync(note(), text);
    expect(await readTableChecksums(folder)).toEqual(new Map());
    const store = await openAt(location);
    expect(await rowsOf(store, 'Table')).not.toEqual([]);
    await store.close();
  });

  it('does not prevent the store from opening if it cannot be written', async () => {
    unlinkSync(note());
    const reports: unknown[] = [];
    // A folder blocks the name of the temporary file.
    mkdirSync(`${note()}.tmp`);
    const store = await openAt(location, (report) => reports.push(report));
    await store.close();
    expect(reports).toEqual([]);
  });
});
