import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClock } from '../../../../../src/clock/clock.js';
import { makeMemoryEngine } from '../../../../../src/store/level/engine/make-engine.js';
import type { LevelStore } from '../../../../../src/store/level/level-store.js';
import { emptyLog, readSegments } from '../../../../../src/store/level/log/read-segments.js';
import { openLevelStore } from '../../../../../src/store/level/open-level-store.js';
import { makeFolder } from '../../../../support/programs/make-folder.js';
import { account, commit, insert, keyAt, rowsOf } from '../../../../support/store/store-changes.js';

/** A clock that advances at each look, so that none is left out. */
function hurrying(): () => number {
  let time = 0;
  return () => (time += 1000);
}

let folder: string;
const opened: LevelStore[] = [];
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await rm(folder, { recursive: true });
});

/** Opens the log as a server does where locks do nothing, with an engine that gets all of it. */
async function open(now = hurrying()): Promise<LevelStore> {
  const found = readdirSync(folder).length > 0 ? await readSegments(folder, folder) : emptyLog;
  const options = { clock: createClock(), location: folder, log: { folder, content: found, now } };
  const store = await openLevelStore(await makeMemoryEngine(), options);
  opened.push(store);
  return store;
}

describe('Two servers that write to one folder, whose file system has no locks', () => {
  const inUse = { code: 'in-use', message: expect.stringContaining('Another process writes to') };

  it('are noticed by the first one at its next write, which is rejected, as all later ones; reads continue', async () => {
    const first = await open();
    await first.createTable(account, 'Table');
    await commit(first, 'Table', insert(keyAt('before')));
    await open();
    for (const row of ['a', 'b']) await expect(commit(first, 'Table', insert(keyAt(row)))).rejects.toMatchObject(inUse);
    await expect(first.checkWrites()).rejects.toMatchObject(inUse);
    expect(await rowsOf(first, 'Table')).toEqual(['p/before']);
  });

  it('are noticed by the second one when the log grows that it has read', async () => {
    const first = await open(() => 0);
    await first.createTable(account, 'Table');
    const second = await open();
    await commit(second, 'Table', insert(keyAt('alone')));
    await commit(first, 'Table', insert(keyAt('grown')));
    await expect(commit(second, 'Table', insert(keyAt('late')))).rejects.toMatchObject(inUse);
  });

  it('are not taken for two when one follows the other', async () => {
    const first = await open();
    await first.createTable(account, 'Table');
    await first.close();
    const second = await open();
    await commit(second, 'Table', insert(keyAt('r')));
    expect(await rowsOf(second, 'Table')).toEqual(['p/r']);
  });
});
