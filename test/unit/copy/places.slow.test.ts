import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TableServiceClient } from '@azure/data-tables';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../../src/index.js';
import { copyBetween, manyRows, oddData } from '../../support/copy/copy-between.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copy-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const inFolder = (...names: string[]) => join(folder, ...names);

it('Data folders are served in the process: all accounts, policies and settings, Cosmos DB in its order of insertion', async () => {
  const accounts = [
    { name: 'first', keys: ['a2V5'] as const },
    { name: 'second', keys: ['a2V5'] as const },
  ];
  const cosmos = { accounts: [{ name: 'third', keys: ['a2V5'] as const }] };
  const mixed = ['b', 'a', 'c', 'a']
    .map((key, at) => `{"PartitionKey":"${key}","RowKey":"${9 - at}","N":${at}}`)
    .join('\n');
  let before: readonly string[] = [];
  {
    await using server = await startTabularium({ location: inFolder('one'), accounts, cosmos });
    await server.import(bytesOf(oddData), { account: 'first' });
    await server.import(bytesOf(manyRows(10)), { account: 'second' });
    await setRetention(server, 'first');
    await server.import(bytesOf(`{"$table":"Order"}\n${mixed}\n`), { account: 'third' });
    before = await Promise.all(['first', 'second', 'third'].map((account) => textOf(server.export({ account }))));
  }
  await copyBetween(inFolder('one'), inFolder('two', 'tabularium-data'));
  await using server = await startTabularium({ location: inFolder('two'), accounts, cosmos });
  const after = await Promise.all(['first', 'second', 'third'].map((account) => textOf(server.export({ account }))));
  expect(after).toEqual(before);
  const { hourMetrics } = await TableServiceClient.fromConnectionString(server.connectionStringOf('first'), {
    allowInsecureConnection: true,
  }).getProperties();
  expect(hourMetrics).toMatchObject({ retentionPolicy: { days: 33 } });
  // A server uses this folder.
  await expect(copyBetween(inFolder('two'), inFolder('three/'))).rejects.toThrow('in use');
  await expect(copyBetween(inFolder('one'), inFolder('three/'))).rejects.toThrow(
    'has the accounts first, second, third. Choose one with --account.',
  );
  const report = await copyBetween(inFolder('one'), inFolder('three/'), { account: 'second' });
  expect(report.tables).toMatchObject([{ table: 'Many', written: 10, verified: 'same' }]);
});

async function setRetention(server: Tabularium, account: string): Promise<void> {
  const client = TableServiceClient.fromConnectionString(server.connectionStringOf(account), {
    allowInsecureConnection: true,
  });
  const retentionPolicy = { enabled: true, days: 33 };
  await client.setProperties({ hourMetrics: { version: '1.0', enabled: true, includeAPIs: true, retentionPolicy } });
}

async function textOf(bytes: Promise<AsyncIterable<Uint8Array>>): Promise<string> {
  let text = '';
  for await (const part of await bytes) text += Buffer.from(part).toString();
  return text;
}

async function* bytesOf(text: string): AsyncGenerator<string> {
  yield text;
}

it('An account that only one of two compared data folders has is a difference', async () => {
  writeFileSync(inFolder('rows.ndjson'), manyRows(3));
  const [file, one, two] = [inFolder('rows.ndjson'), inFolder('one'), inFolder('two')];
  const inData = (path: string) => join(path, 'tabularium-data');
  await copyBetween(file, inData(one), { account: 'first' });
  for (const account of ['first', 'second']) await copyBetween(file, inData(two), { account });
  const note = 'no account second';
  await expect(copyBetween(one, two, { compare: true })).rejects.toThrow(note);
  await expect(copyBetween(two, one, { compare: true })).rejects.toThrow(note);
  const report = await copyBetween(one, two, { compare: true, account: 'first' });
  expect(report).toMatchObject({ tables: [{ verified: 'same' }] });
});
