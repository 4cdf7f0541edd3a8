import { createHook } from 'node:async_hooks';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataFolder } from '../../../../../src/store/level/open-folder.js';
import { openAt } from '../../../../support/programs/data-folder.js';
import { makeFolder } from '../../../../support/programs/make-folder.js';
import { copyAsKilled } from '../../../../support/store/copy-as-killed.js';
import { makeOldFolder } from '../../../../support/store/old-folder.js';
import { rowsOf } from '../../../../support/store/store-changes.js';

let location: string;
let folder: string;
beforeEach(async () => {
  location = await makeFolder();
  folder = join(location, dataFolder);
});
afterEach(() => rm(location, { recursive: true }));

/** Returns what tells one state of the files from the next. */
function describeFiles(): string {
  try {
    return readdirSync(folder)
      .filter((name) => !/^LO(CK|G(\.old)?)$/.test(name))
      .map((name) => `${name} ${statSync(join(folder, name)).size} ${statSync(join(folder, name)).mtimeMs}`)
      .join('\n');
  } catch {
    // LevelDB has just removed one.
    return '';
  }
}

/** Runs something, and copies the folder whenever it has changed when the next asynchronous operation begins. Returns the copies. */
async function copyEachState(work: () => Promise<void>): Promise<readonly string[]> {
  const copies: string[] = [];
  let last = '';
  let isCopying = false;
  const hook = createHook({
    init() {
      if (isCopying) return;
      isCopying = true;
      const now = describeFiles();
      if (now !== last && now !== '') {
        const copy = `${location}-state-${copies.length}`;
        copyAsKilled(location, copy);
        copies.push(copy);
        last = now;
      }
      isCopying = false;
    },
  }).enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return copies;
}

describe('an upgrade of a folder of version 0.1.0', () => {
  it('continues at the next start, whatever state of the files a kill has left', async () => {
    await makeOldFolder(location);
    const states = await copyEachState(async () => {
      await (await openAt(location)).close();
    });
    const formats = new Set<string>();
    for (const state of states) {
      formats.add(readFileSync(join(state, dataFolder, 'FORMAT'), 'utf8').trim());
      const reports: unknown[] = [];
      const store = await openAt(state, (report) => reports.push(report));
      expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b', 'p/c']);
      await store.close();
      expect(reports).toEqual([]);
      expect(readFileSync(join(state, dataFolder, 'FORMAT'), 'utf8')).toBe('5\n');
      rmSync(state, { recursive: true });
    }
    expect([...formats]).toEqual(['1', '5 upgrade', '5']);
    // At least: before, with FORMAT, with LevelDB open, rewritten, proved and closed, with a segment, and at the end.
    expect(states.length).toBeGreaterThan(8);
  });
});
