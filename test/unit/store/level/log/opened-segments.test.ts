import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FileLog } from '../../../../../src/store/level/log/file-log.js';
import { systemFiles } from '../../../../../src/store/level/log/log-files.js';
import { emptyLog } from '../../../../../src/store/level/log/read-segments.js';
import { segmentName } from '../../../../../src/store/level/log/segment-header.js';
import { makeFolder } from '../../../../support/programs/make-folder.js';

let folder: string;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => rm(folder, { recursive: true }));

it.each([0, 1, 2])('a log whose segment %d cannot be opened leaves no file open', async (failing) => {
  const segments = [1, 2, 3].map((number) => ({ name: segmentName(number), number, bytes: 0, last: 0, isBegun: true }));
  for (const { name } of segments) await writeFile(join(folder, name), '');
  const opened = new Set<number>();
  const files: typeof systemFiles = {
    ...systemFiles,
    open(path) {
      if (path.endsWith(segments[failing]?.name ?? '')) throw new Error('EMFILE: too many open files');
      const descriptor = systemFiles.open(path);
      opened.add(descriptor);
      return descriptor;
    },
    close(descriptor) {
      opened.delete(descriptor);
      systemFiles.close(descriptor);
    },
  };
  await expect(FileLog.open(folder, { ...emptyLog, files: segments }, { files })).rejects.toThrow('EMFILE');
  expect(opened).toEqual(new Set());
});

it('a log that cannot be synced at a start names the file', async () => {
  const [first, second] = [1, 2].map((number) => ({
    name: segmentName(number),
    number,
    bytes: 1,
    last: 0,
    isBegun: true,
  }));
  const found = [first, second].flatMap((one) => one ?? []);
  for (const { name } of found) await writeFile(join(folder, name), 'x');
  let syncs = 0;
  const files: typeof systemFiles = {
    ...systemFiles,
    async sync(descriptor) {
      if (++syncs === 2) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
      await systemFiles.sync(descriptor);
    },
  };
  await expect(FileLog.open(folder, { ...emptyLog, files: found }, { files })).rejects.toMatchObject({
    message: `EIO: i/o error, fdatasync '${join(folder, segmentName(2))}'`,
    code: 'EIO',
  });
});
