import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openLog } from '../../../src/log/open-log.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabularium-test-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('A log that has ended has written every line', async () => {
  const file = join(folder, 'logs', 'debug.log');
  const log = openLog({ silent: true, debug: file, log: 'human' });
  for (let at = 0; at < 500; at++) log.logger.debug(`line ${at}`);
  // A log waits for a stuck disk for a second only, and the disk of a busy machine may take longer.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await log.end().finally(() => vi.useRealTimers());

  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(Array.from({ length: 500 }, (_, at) => `line ${at}`));
});

it('A silent log without a debug file ends, too', async () => {
  await expect(openLog({ silent: true, debug: undefined, log: 'human' }).end()).resolves.toBeUndefined();
});
