import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FileLog } from '../../../../../src/store/level/log/file-log.js';
import { emptyLog } from '../../../../../src/store/level/log/read-segments.js';
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
