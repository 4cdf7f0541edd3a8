import { readdir, rm } from 'node:fs/promises';
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

it('After a slow write, commits are written in a thread of their own for ten seconds', async () => {
  let now = 0;
  let writeMs = 0;
  const log = await FileLog.open(folder, emptyLog, {
    now: () => {
      now += writeMs;
      return now;
    },
  });
  await log.start();
  const changes = [{ key: 'a', value: '1' }];
  log.append(changes);
  expect(log.isQuick(changes)).toBe(true);
  writeMs = 21;
  log.append(changes);
  writeMs = 0;
  expect(log.isQuick(changes)).toBe(false);
  now += 10_000;
  expect(log.isQuick(changes)).toBe(true);
  log.close();
});

it('Long commits are written in a thread of their own', async () => {
  const log = await FileLog.open(folder, emptyLog);
  await log.start();
  expect(log.isQuick([{ key: 'a', value: 'x'.repeat(300_000) }])).toBe(false);
  log.close();
});

it('A segment begins after the commit that is being written, so that those before it can be deleted', async () => {
  let write = () => {};
  const files = {
    ...systemFiles,
    writeLater: async (descriptor: number, bytes: Buffer, position: number) => {
      await new Promise<void>((resolve) => {
        write = resolve;
      });
      await systemFiles.writeLater(descriptor, bytes, position);
    },
  };
  const log = await FileLog.open(folder, emptyLog, { files });
  await log.start();
  const appended = log.appendLater([{ key: 'a', value: '1' }]);
  const turned = log.turn();
  write();
  await Promise.all([appended, turned]);
  await log.sync();
  await log.release(log.last);
  expect(await readdir(folder)).toEqual([segmentName(2)]);
  log.close();
});
