import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readManifest } from '../../../src/store/level/check/leveldb/read-manifest.js';
import { dataFolder } from '../../../src/store/level/open-folder.js';
import { randomFrom } from '../../support/arbitrary/random.js';
import { batchBoundary, insert, writeChangeSet } from '../../support/bodies/batch-tools.js';
import { countStart, startAndFail, startChild, stopWhileStarting } from '../../support/programs/child-server.js';
import { fileOf, fingerprint, flipBit } from '../../support/programs/data-folder.js';
import { makeFolder } from '../../support/programs/make-folder.js';
import { killLeftovers } from '../../support/programs/run-program.js';
import { openingPoint } from '../../support/programs/stop-points.js';

/** Number of sorted table files to damage, one at a time. TABULARIUM_DAMAGED_TABLES=1000 damages all of them. */
const tablesMax = Number(process.env['TABULARIUM_DAMAGED_TABLES'] ?? 2);

/** Smallest number of table files that the store must have, so that not only the newest one is damaged. */
const tablesMin = 3;

/** Number of complete starts on each damaged store, and of starts that are interrupted. */
const starts = 2;

/** Enough for several table files and for compactions that the kill interrupts. Unit: transactions of about 2 MiB. */
const transactions = 24;

/** The end of a table file, which contains padding: a flipped bit there has no effect. Unit: bytes. */
const footerBytes = 48;

const seed = Number(process.env['TABULARIUM_SEED'] ?? 20_261_122);
const random = randomFrom(seed);

/** A store that was killed under load. */
let original: string;
let location: string;
let folder: string;
beforeAll(async () => {
  original = await makeFolder();
  // How many table files one round leaves depends on the moment of the kill. Each start writes one more.
  for (let round = 0; round < 5 && (round === 0 || tablesOf(original).length < tablesMin); round++) {
    await fillAndKill(original);
  }
});
beforeAll(async () => {
  location = await makeFolder();
  folder = join(location, dataFolder);
});
afterEach(killLeftovers);
afterAll(() => Promise.all([original, location].map((path) => rm(path, { recursive: true, force: true }))));

/** Writes rows with keys spread over the whole table, so that the table files overlap. Then kills the server. */
async function fillAndKill(at: string): Promise<void> {
  const server = await startChild({ location: at });
  const client = server.client();
  expect([201, 409]).toContain((await client.post('/Tables', { TableName: 'Kept' })).status);
  for (let transaction = 0; transaction < transactions; transaction++) {
    const parts = Array.from({ length: 80 }, (_, row) => {
      const RowKey = `r${(row * transactions + ((transaction * 7) % transactions)).toString().padStart(5, '0')}`;
      return insert('Kept', { PartitionKey: 'p', RowKey, Filler: randomBytes(20 * 1024).toString('base64') });
    });
    const absolute = parts.map((part) => ({ ...part, url: `${server.url}/devstoreaccount1${part.url}` }));
    const answer = await client.post('/$batch', writeChangeSet(absolute), {
      headers: { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` },
    });
    expect(answer.status, answer.body).toBe(202);
  }
  await server.stop('SIGKILL');
}

/** Returns the names of the table files in the manifest of a store. */
function tablesOf(at: string): readonly string[] {
  const manifest = readManifest(readFileSync(fileOf(join(at, dataFolder), /^MANIFEST-/)));
  return [...(manifest?.tableFiles.keys() ?? [])].map((number) => `${String(number).padStart(6, '0')}.ldb`);
}

function restore(): void {
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(original, dataFolder), folder, { recursive: true });
}

describe('A store whose server was killed under load', () => {
  it('opens if it is undamaged', async () => {
    restore();
    const server = await startChild({ location });
    expect((await server.client().get('/Kept()?$select=RowKey&$top=1')).rows).toHaveLength(1);
    await server.stop('SIGTERM');
  });

  it(`is rejected at every start if one bit of a table file is flipped, and stays unchanged (seed ${seed})`, {
    timeout: 3_600_000,
  }, async () => {
    const tables = [...tablesOf(original)].sort(() => random() - 0.5).slice(0, tablesMax);
    expect(tables.length).toBeGreaterThanOrEqual(Math.min(tablesMin, tablesMax));
    restore();
    const counts = await countStart({ location });
    for (const name of tables) {
      restore();
      const path = join(folder, name);
      flipBit(path, Math.floor(random() * 8 * (statSync(path).size - footerBytes)));
      const before = fingerprint(folder);
      for (let start = 0; start < starts; start++) {
        const signal = random() < 0.5 ? 'SIGTERM' : 'SIGKILL';
        await stopWhileStarting({ location }, openingPoint(counts, random()), signal);
        expect(fingerprint(folder), `${name}, start ${start}, interrupted by ${signal}`).toEqual(before);
      }
      for (let start = 0; start < starts; start++) {
        expect(await startAndFail({ location }), `${name}, start ${start}`).toEqual({
          code: 2,
          signal: null,
          output: '',
          errors:
            `The data in ${folder} is damaged: the file ${name} is damaged. ` +
            'Nothing was changed. Restore a copy of the folder.\n',
        });
        expect(fingerprint(folder), `${name}, start ${start}`).toEqual(before);
      }
    }
  });
});
