import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../src/index.js';
import { type Azurite, startAzurite } from '../support/copy/azurite.js';
import { copyBetween, exported, manyRows, oddData } from '../support/copy/copy-between.js';
import { makeFolder } from '../support/programs/make-folder.js';

let azurite: Azurite;
let folder: string;
let source: Tabularium;
beforeAll(async () => {
  [azurite, folder, source] = await Promise.all([startAzurite(), makeFolder(), startTabularium()]);
  // Cosmos DB has no policies and no empty keys. Azurite fails for properties with the names of a prototype, and drops the sign of zero.
  const plain = oddData
    .split('\n')
    .filter((line) => !/"RowKey":""|prototypes/.test(line))
    .map((line) => line.replace(/,"policies":\[.*\]|,"Minus":-0\.0/, ''));
  await source.import([plain.join('\n'), manyRows(1200, 90)]);
});
afterAll(async () => {
  await azurite[Symbol.asyncDispose]();
  await source.close();
  rmSync(folder, { recursive: true });
});

/** Returns new ends of each kind. A storage account is the first, and the last end shows the data. */
async function ends(database: string | undefined): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['Azurite', azurite.url],
    ['NDJSON', join(folder, 'all.ndjson')],
    ['a folder of files', join(folder, 'files/')],
    ['a data folder', join(folder, 'data', 'tabularium-data')],
    ...(database === undefined ? [] : ([['PostgreSQL', database]] as const)),
  ]);
}

it('Data passes through all kinds of ends, one after the other, without a change', async () => {
  await using cosmos = await startTabularium({ cosmos: true });
  await using last = await startTabularium();
  const all = [
    ...(await ends(process.env['TABULARIUM_TEST_DATABASE'])),
    ['Cosmos DB', cosmos.cosmosConnectionString ?? ''],
    ['Tabularium', last.connectionString],
  ] as const;
  let from = source.connectionString;
  for (const [name, to] of all) {
    const report = await copyBetween(from.replace(/\/tabularium-data$/, ''), to);
    expect(report, name).toMatchObject({ rejectedRows: 0, differences: 0 });
    expect(
      report.tables.map(({ verified }) => verified),
      name,
    ).toEqual(['same', 'same', 'same', 'same']);
    from = to;
  }
  expect(await exported(last)).toBe(await exported(source));
  // Azurite's spelling of values passes through.
  expect(readFileSync(join(folder, 'all.ndjson'), 'utf8')).toContain('"Large":1e+300');
});
