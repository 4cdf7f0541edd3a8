import { rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { startServer } from '../../../src/server.js';
import { defaultConfig } from '../../../src/settings/config.js';
import { segmentName } from '../../../src/store/level/log/segment-header.js';
import { dataFolder } from '../../../src/store/level/open-folder.js';
import { openAt } from '../../support/programs/data-folder.js';
import { makeFolder } from '../../support/programs/make-folder.js';
import { copyAsKilled } from '../../support/store/copy-as-killed.js';
import { account, commit, insert, keyAt } from '../../support/store/store-changes.js';

it('A start that leaves out a write that was cut off logs one warning without a stack', async () => {
  const [location, copy] = [await makeFolder(), await makeFolder()];
  const store = await openAt(location);
  await store.createTable(account, 'Table');
  await commit(store, 'Table', insert(keyAt('r')));
  copyAsKilled(location, copy);
  await store.close();
  const segment = join(copy, dataFolder, segmentName(1));
  truncateSync(segment, statSync(segment).size - 1);

  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const server = await startServer({ ...defaultConfig, port: 0, location: copy }, logger);
  await server.close();
  for (const folder of [location, copy]) rmSync(folder, { recursive: true });
  expect(lines).toMatchObject([
    { level: 40, msg: expect.stringContaining(`The file ${segment} ended within a write`) },
  ]);
  expect(lines[0]).not.toHaveProperty('err');
});
