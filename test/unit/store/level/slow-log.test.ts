import { rm } from 'node:fs/promises';
import { MemoryLevel } from 'memory-level';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CommitLog } from '../../../../src/store/level/commit-log/commit-log.js';
import { CommitQueue } from '../../../../src/store/level/commit-queue.js';
import type { Engine } from '../../../../src/store/level/engine.js';
import { makeFolder } from '../../../support/make-folder.js';

let folder: string;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => rm(folder, { recursive: true }));

it('After a slow write to the log, the engine gets all changes at once for ten seconds', async () => {
  let now = 0;
  let writeMs = 0;
  const log = new CommitLog(folder, 0, () => {
    now += writeMs;
    return now;
  });
  const engine = new MemoryLevel<string, string>({ storeEncoding: 'utf8' });
  await engine.open();
  const queue = new CommitQueue(engine as unknown as Engine, {
    ...{ extraRecord: () => undefined, onWritten: () => {}, onFailed: () => {}, durability: 'os', log },
  });
  const isLogged = async (key: string) => {
    await queue.add([{ key, value: '1' }], undefined, true);
    return queue.logged(key) !== undefined;
  };

  expect(await isLogged('a')).toBe(true);
  writeMs = 21;
  expect(await isLogged('b')).toBe(true);
  writeMs = 0;
  expect(await isLogged('c')).toBe(false);
  expect(await Promise.all(['a', 'b', 'c'].map((key) => engine.get(key)))).toEqual(['1', '1', '1']);
  now += 10_000;
  expect(await isLogged('d')).toBe(true);
  await queue.stop();
  log.close();
});
