import { unlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatKey } from '../../../src/store/level/engine/key-encoding.js';
import { currentFormat } from '../../../src/store/level/format-file.js';
import { dataFolder } from '../../../src/store/level/open-folder.js';
import { startAndFail, startChild } from '../../support/programs/child-server.js';
import { filesOf, fillFolder, fingerprint, flipBit, openAt } from '../../support/programs/data-folder.js';
import { makeFolder } from '../../support/programs/make-folder.js';
import { killLeftovers } from '../../support/programs/run-program.js';
import { mountDisk, whyNoDisk } from '../../support/store/mounted-disk.js';
import { contentOf, Writer } from '../../support/store/partition-writer.js';
import { account, rowsOf } from '../../support/store/store-changes.js';

let location: string;
let folder: string;
beforeEach(async () => {
  location = await makeFolder();
  folder = join(location, dataFolder);
});
afterEach(async () => {
  killLeftovers();
  await rm(location, { recursive: true, force: true });
});

/** Starts a server and checks that it ends with code 1 and one line and changes no file. Returns the line. */
async function rejection(at = location): Promise<string> {
  const before = fingerprint(join(at, dataFolder));
  const { errors, ...ending } = await startAndFail({ location: at });
  expect(ending).toEqual({ code: 2, signal: null, output: '' });
  expect(errors).toMatch(/^.*\n$/);
  expect(fingerprint(join(at, dataFolder))).toEqual(before);
  return errors.trimEnd();
}

describe('A server rejects, with the remedy and without changing a file,', () => {
  it('a folder that another process uses', async () => {
    await fillFolder(location);
    const first = await startChild({ location });
    expect(await rejection()).toBe(
      `The data in ${folder} is in use by another process. Stop it, or choose another --location.`,
    );
    expect((await first.client().get('/Tables')).status).toBe(200);
    await first.stop('SIGTERM');
  });

  it('a folder that another process is writing to, in any state of its files', async () => {
    const first = await startChild({ location });
    await first.client().post('/Tables', { TableName: 'Kept' });
    const writers = [0, 1, 2, 3].map((at) => new Writer('Kept', `w${at}`));
    const writing = writers.map((writer) => writer.writeUntilRejected(first.client()));
    for (let attempt = 0; attempt < 3; attempt++) {
      const { code, errors } = await startAndFail({ location });
      expect(code).toBe(2);
      expect(errors).toBe(
        `The data in ${folder} is in use by another process. Stop it, or choose another --location.\n`,
      );
    }
    await first.stop('SIGKILL');
    await Promise.all(writing);
    const again = await startChild({ location });
    for (const writer of writers) writer.expectKept(await contentOf(again.client(), 'Kept', writer.partition));
    await again.stop('SIGTERM');
  });

  it('a folder with a newer format', async () => {
    await fillFolder(location);
    const level = new Level<string, string>(folder);
    await level.put(formatKey, String(currentFormat + 1));
    await level.close();
    writeFileSync(join(folder, 'FORMAT'), `${currentFormat + 1}\n`);
    expect(await rejection()).toBe(
      `The data in ${folder} has format ${currentFormat + 1}; this version reads format ${currentFormat}. ` +
        'Use the version that wrote it, export with that version and import with this one, or choose another --location.',
    );
  });

  it('a folder without its file CURRENT, which LevelDB would empty', async () => {
    await fillFolder(location);
    unlinkSync(join(folder, 'CURRENT'));
    expect(await rejection()).toBe(
      `The data in ${folder} is damaged: the file CURRENT is missing. Nothing was changed. Restore a copy of the folder.`,
    );
  });

  it('a folder with a flipped bit in a sorted table file, which LevelDB would read as wrong data', async () => {
    await fillFolder(location);
    const [table = ''] = filesOf(folder, /\.ldb$/);
    flipBit(table, 8 * 1000);
    expect(await rejection()).toContain(' is damaged: the file ');
  });

  it('a location that is a file', async () => {
    const file = join(location, 'file');
    writeFileSync(file, 'not a folder');
    const { errors, ...ending } = await startAndFail({ location: file });
    expect(ending).toEqual({ code: 2, signal: null, output: '' });
    expect(errors).toMatch(
      /^The data in .* cannot be opened: ENOTDIR.* Check that the folder is writable and that its disk is not full, or choose another --location\.\n$/,
    );
  });

  it.skipIf(process.platform !== 'linux')('a location in /proc, where no folder can be created', async () => {
    const { errors, ...ending } = await startAndFail({ location: '/proc/nope' });
    expect(ending).toEqual({ code: 2, signal: null, output: '' });
    expect(errors).toMatch(
      /^The data in \/proc\/nope\/tabularium-data cannot be opened: ENOENT.* Check that the folder is writable .*\n$/,
    );
  });

  it.skipIf(whyNoDisk)(`a read-only folder, with data or empty${whyNoDisk}`, async () => {
    const disk = await mountDisk(8 * 1024);
    try {
      disk.setReadOnly(true);
      const { code, errors } = await startAndFail({ location: disk.folder });
      expect(code).toBe(2);
      expect(errors).toMatch(/^The data in .* cannot be opened: .* Check that the folder is writable .*\n$/);
      disk.setReadOnly(false);
      await fillFolder(disk.folder);
      disk.setReadOnly(true);
      expect(await rejection(disk.folder)).toMatch(
        /^The data in .* cannot be opened: .*[Rr]ead-only file system.*\. Check that the folder is writable /,
      );
      disk.setReadOnly(false);
      const store = await openAt(disk.folder);
      expect(store.listTables(account)).toHaveLength(1);
      expect((await rowsOf(store, 'Table')).length).toBeGreaterThan(1000);
      await store.close();
    } finally {
      disk.unmount();
    }
  });
});
