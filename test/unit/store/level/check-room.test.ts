import { rm, statfs, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkRoom, checkWritable } from '../../../../src/store/level/check-room.js';
import { mountDisk, whyNoDisk } from '../../../support/mounted-disk.js';
import { makeFolder, openStoreOn } from '../../../support/open-store-on.js';

describe('A folder on a disk with free space', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await makeFolder();
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('can be written, and opened again', async () => {
    await checkWritable(folder);
    await checkRoom(folder);
  });

  it('cannot be opened again while the log is larger than the free space', async () => {
    const { bavail, bsize } = await statfs(folder);
    await writeFile(join(folder, '000001.log'), '');
    await truncate(join(folder, '000001.log'), bavail * bsize + 1024 * 1024);
    await expect(checkRoom(folder)).rejects.toThrow(
      /the disk is full\. Reads go on; writes go on when at least [\d.]+ MiB/,
    );
  });

  it('cannot be written after it was removed', async () => {
    const gone = join(folder, 'gone');
    const message = `The data in ${gone} cannot be written: ENOENT`;
    await expect(checkWritable(gone)).rejects.toThrow(message);
    await expect(checkRoom(gone)).rejects.toThrow(message);
  });
});

describe.skipIf(whyNoDisk)(`A folder on a disk${whyNoDisk}`, () => {
  it('cannot be written if the disk is full', async () => {
    const disk = await mountDisk(64);
    try {
      await writeFile(join(disk.folder, 'ballast'), Buffer.alloc(64 * 1024)).catch(() => {});
      await expect(checkWritable(disk.folder)).rejects.toThrow(
        `The data in ${disk.folder} cannot be written: the disk is full. ` +
          'Reads go on; writes go on when there is free space on the disk.',
      );
    } finally {
      disk.unmount();
    }
  });

  it('cannot be written if the disk is read-only, and the engine is not reopened', async () => {
    const disk = await mountDisk(1024);
    try {
      disk.setReadOnly(true);
      const message = /cannot be written: EROFS.*\. Reads go on; writes go on when the folder can be written\.$/;
      await expect(checkWritable(disk.folder)).rejects.toThrow(message);
      await expect(checkRoom(disk.folder)).rejects.toThrow(message);
    } finally {
      disk.unmount();
    }
  });
});

describe('A store', () => {
  it('accepts writes unless the check of its folder fails', async () => {
    let isFull = false;
    const checked = await openStoreOn('memory', undefined, {
      checkWritable: async () => {
        if (isFull) throw new Error('full');
      },
    });
    await checked.store().checkWrites();
    isFull = true;
    await expect(checked.store().checkWrites()).rejects.toThrow('full');
    await checked.dispose();

    const unchecked = await openStoreOn('memory');
    await unchecked.store().checkWrites();
    await unchecked.dispose();
  });
});
