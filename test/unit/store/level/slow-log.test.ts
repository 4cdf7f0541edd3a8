import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FileLog } from '../../../../src/store/level/log/commit-log.js';
import { makeFolder } from '../../../support/make-folder.js';

let folder: string;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => rm(folder, { recursive: true }));

it('After a slow write, commits are written in a thread of their own for ten seconds', () => {
  let now = 0;
  let writeMs = 0;
  const log = new FileLog(folder, 0, {
    now: () => {
      now += writeMs;
      return now;
    },
  });
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

it('Long commits are written in a thread of their own', () => {
  const log = new FileLog(folder, 0);
  expect(log.isQuick([{ key: 'a', value: 'x'.repeat(300_000) }])).toBe(false);
  log.close();
});
