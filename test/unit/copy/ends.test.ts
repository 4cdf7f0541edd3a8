import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { nameOfEnd, readEnd } from '../../../src/copy/ends/read-end.js';
import { copyBetween, exported, startTwo } from '../../support/copy/copy-between.js';
import { runLine } from '../../support/programs/run-line.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copy-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Texts that are meant as an address, each with a part that is a secret. */
const secrets = [
  'DefaultEndpointsProtocol=https;AcountName=foo;AccountKey=c2VjcmV0;EndpointSuffix=core.windows.net',
  'AccountName=foo;AccountKeys=c2VjcmV0',
  'htps://foo.table.core.windows.net/?sv=2020&sig=c2VjcmV0',
  'postgress://user:c2VjcmV0@host/db',
  'https://:c2VjcmV0@[bad/',
  'TableEndpoint=not a url;AccountName=foo;AccountKey=c2VjcmV0',
  'TableEndpoint=https://foo.table.core.windows.net;AccountName=foo;Key=c2VjcmV0',
  'TableEndpoint=foo:10002;AccountName=foo;AccountKey=c2VjcmV0',
  'AccountKey=c2VjcmV0',
  'sv=2020-01-01&sig=c2VjcmV0',
] as const;

it.each(secrets)('%s is rejected as an end, without its secret', async (text) => {
  const { code, out, errors } = await runLine(['copy', '$END', join(folder, 'new.ndjson')], { END: text });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(errors).toMatch(/^[^\n]+\.\n$/);
  expect(errors).not.toContain('c2VjcmV0');
  expect(readdirSync(folder)).toEqual([]);
  expect(existsSync(text)).toBe(false);
});

it.each(['proxy:c2VjcmV0@host:8080', 'http://proxy:c2VjcmV0@ho st'])(
  '%s is rejected as a proxy, without its secret',
  async (proxy) => {
    const environment = {
      HTTP_PROXY: proxy,
      END: 'TableEndpoint=http://tables.example/;AccountName=a;AccountKey=a2V5',
    };
    const { code, errors } = await runLine(['copy', '$END', join(folder, 'new.ndjson')], environment);
    expect({ code, errors }).toEqual({
      code: 2,
      errors: 'The variable HTTP_PROXY is not the URL of a proxy, as http://proxy:8080.\n',
    });
  },
);

it('An empty end is rejected', async () => {
  const { code, errors } = await runLine(['copy', join(folder, 'a.ndjson'), ''], {});
  expect({ code, errors }).toEqual({ code: 2, errors: expect.stringMatching(/^An end of a copy is empty\./) });
});

it('A token is sent only by https, and that of the Azure CLI only to Azure', () => {
  const token = { TABULARIUM_COPY_TOKEN: 'c2VjcmV0' };
  expect(() => readEnd('http://127.0.0.1:10002/other', token)).toThrow(/only by https/);
  expect(() => readEnd('https://tables.example.org/', {})).toThrow(/TABULARIUM_COPY_TOKEN/);
  for (const url of ['https://foo.table.core.windows.net/', 'https://foo.table.cosmos.azure.com/']) {
    expect(nameOfEnd(readEnd(url, {}))).toBe(new URL(url).host);
  }
  expect(nameOfEnd(readEnd('https://tables.example.org/', token))).toBe('tables.example.org');
});

it('A file with several tables is read whole in a folder of files', async () => {
  await using servers = await startTwo('');
  const [one, two] = [join(folder, 'all.ndjson'), join(folder, 'other.ndjson')];
  const row = (key: string) => `{"PartitionKey":"p","RowKey":"${key}"}\n`;
  writeFileSync(one, `{"$table":"Aaa"}\n${row('1')}{"$table":"Bbb"}\n${row('2')}${row('3')}`);
  writeFileSync(two, `{"$table":"Ccc"}\n${row('4')}`);
  const report = await copyBetween(folder, servers.other.connectionString);
  expect(report.tables.map(({ table, read }) => [table, read])).toEqual([
    ['Aaa', 1],
    ['Bbb', 2],
    ['Ccc', 1],
  ]);
  expect((await exported(servers.other)).match(/RowKey/g)).toHaveLength(4);
});
