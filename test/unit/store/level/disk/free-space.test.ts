import { rm, statfs, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkFreeSpace, checkWritable } from '../../../../../src/store/level/free-space.js';
import { makeFolder } from '../../../../support/programs/make-folder.js';
import { mountDisk, whyNoDisk } from '../../../../support/store/mounted-disk.js';
import { openLevelOn } from '../../../../support/store/open-level-on.js';

describe('A folder on a disk with free space', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await makeFolder();
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('can be written, and opened again', async () => {
    await expect(checkWritable(folder)).resolves.toBeUndefined();
    await expect(checkFreeSpace(folder)).resolves.toBeUndefined();
  });

  it('cannot be opened again while the log is larger than the free space', async () => {
    // Larger than the disk, because other programs may free space in between. The file has no content, so it takes none.
    const { blocks, bsize } = await statfs(folder);
    await writeFile(join(folder, '000001.log'), '');
    await truncate(join(folder, '000001.log'), blocks * bsize);
    await expect(checkFreeSpace(folder)).rejects.toThrow(
      /the disk is full\. Reads continue; writes continue when at least [\d.]+ MiB/,
    );
  });

  it('cannot be written after it was removed', async () => {
    const gone = join(folder, 'gone');
    const message = `The data in ${gone} cannot be written: ENOENT`;
    await expect(checkWritable(gone)).rejects.toThrow(message);
    await expect(checkFreeSpace(gone)).rejects.toThrow(message);
  });
});

describe.skipIf(whyNoDisk)(`A folder on a disk${whyNoDisk}`, () => {
  it('cannot be written if the disk is full', async () => {
    const disk = await mountDisk(64);
    try {
      await writeFile(join(disk.folder, 'ballast'), Buffer.alloc(64 * 1024)).catch(() => {});
      await expect(checkWritable(disk.folder)).rejects.toThrow(
        `The data in ${disk.folder} cannot be written: the disk is full. ` +
          'Reads continue; writes continue when there is free space on the disk.',
      );
    } finally {
      disk.unmount();
    }
  });

  it('cannot be written if the disk is read-only, and the engine is not reopened', async () => {
    const disk = await mountDisk(1024);
    try {
      disk.setReadOnly(true);
      const message = /cannot be written: EROFS.*\. Reads continue; writes continue when the folder can be written\.$/;
      await expect(checkWritable(disk.folder)).rejects.toThrow(message);
      await expect(checkFreeSpace(disk.folder)).rejects.toThrow(message);
    } finally {
      disk.unmount();
    }
  });
});

describe('A store', () => {
  it('accepts writes unless the check of its folder fails', async () => {
    let isFull = false;
    const checked = await openLevelOn('memory', undefined, {
      checkWritable: async () => {
        if (isFull) throw new Error('full');
      },
    });
    await checked.store().checkWrites();
    isFull = true;
    await expect(checked.store().checkWrites()).rejects.toThrow('full');
    await checked.dispose();

    const unchecked = await openLevelOn('memory');
    await unchecked.store().checkWrites();
    await unchecked.dispose();
  });
});
