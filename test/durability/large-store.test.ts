import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readManifest } from '../../src/store/leveldb-files/read-manifest.js';
import { dataFolder } from '../../src/store/open-store.js';
import { fileOf, flipBit, openAt } from '../support/data-folder.js';
import { account, commit, keyAt } from '../unit/store/changes.js';
import { eachInFolder, startChild } from './child-server.js';

let location: string;
eachInFolder((folder) => {
  location = folder;
});

/** More than a start looks into. Unit: rows of 24 KiB that no compression makes smaller. */
const rows = 1400;

async function fillLarge(): Promise<void> {
  let store = await openAt(location);
  await store.createTable(account, 'Table');
  for (let row = 0; row < rows; row++) {
    const json = `"${randomBytes(18 * 1024).toString('base64')}"`;
    const property = { name: 'Filler', type: 'Edm.String', json, valueBytes: 2 * json.length } as const;
    await commit(store, 'Table', { kind: 'insert', key: keyAt(`r${row}`), properties: [property] });
  }
  await store.close();
  // What the log holds when a store is opened becomes a table.
  store = await openAt(location);
  await store.close();
}

describe('A server on a store too large to be looked into before it starts', () => {
  it('starts, finds the damage, says so, and ends', async () => {
    await fillLarge();
    const folder = join(location, dataFolder);
    const manifest = readManifest(readFileSync(fileOf(folder, /^MANIFEST-/)));
    const last = [...(manifest?.tables.keys() ?? [])].at(-1) ?? 0;
    const name = `${String(last).padStart(6, '0')}.ldb`;
    flipBit(join(folder, name), 8 * 1000);

    const server = await startChild({ location });
    expect(await server.end).toEqual({
      code: 1,
      signal: null,
      output: `${server.readyLine}\n`,
      errors: `The data in ${folder} is damaged: the file ${name} is damaged. Restore a copy of the folder.\n`,
    });
  });

  it('serves one that is whole', async () => {
    await fillLarge();
    const server = await startChild({ location });
    expect((await server.client().get('/Tables')).status).toBe(200);
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, errors: '' });
  });
});
