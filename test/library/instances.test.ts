import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startTabularium, type Tabularium, type TabulariumOptions } from '../../src/index.js';
import { tableNames, tableOf } from '../support/bodies/instance-tables.js';

const open: Tabularium[] = [];
const folders: string[] = [];

async function start(options?: TabulariumOptions): Promise<Tabularium> {
  const instance = await startTabularium(options);
  open.push(instance);
  return instance;
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tabularium-test-'));
  folders.push(folder);
  return folder;
}

afterEach(async () => {
  vi.restoreAllMocks();
  for (const instance of open.splice(0)) await instance.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

const accounts = [
  { name: 'one', keys: ['b25l'] },
  { name: 'two', keys: ['dHdv', 'dHdvMg=='] },
];

describe('An instance', () => {
  it('listens on a free loopback port and serves the development account by default', async () => {
    const { url, port, endpoint, connectionString } = await start();
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect(endpoint()).toBe(`${url}/devstoreaccount1`);
    expect(connectionString).toContain(`AccountName=devstoreaccount1;`);
    expect(connectionString).toContain(`TableEndpoint=${url}/devstoreaccount1;`);
  });

  it('logs nothing and writes no file by default', async () => {
    const written = vi.spyOn(process.stdout, 'write');
    const instance = await start();
    await tableOf(instance.connectionString).createTable();
    expect(written).not.toHaveBeenCalled();
    expect(existsSync('tabularium-data')).toBe(false);
  });

  it('logs to the logger of its options', async () => {
    const lines: string[] = [];
    const instance = await start({ logger: pino({ level: 'info' }, { write: (line: string) => lines.push(line) }) });
    await tableOf(instance.connectionString).createTable();
    await instance.close();
    expect(lines.join('')).toContain('/devstoreaccount1/Tables');
  });

  it('shares nothing with other instances of the process', async () => {
    const instances = await Promise.all(Array.from({ length: 5 }, () => start()));
    expect(new Set(instances.map(({ port }) => port)).size).toBe(5);
    const [first, ...others] = instances as [Tabularium, ...Tabularium[]];
    await tableOf(first.connectionString).createTable();
    expect(await tableNames(first)).toEqual(['Table']);
    for (const other of others) expect(await tableNames(other)).toEqual([]);
    await first.close();
    for (const other of others) expect(await tableNames(other)).toEqual([]);
  });

  it('keeps its data in a location, and loses data in memory when it is closed', async () => {
    const location = await makeFolder();
    for (const options of [{ location }, {}]) {
      const instance = await start(options);
      await tableOf(instance.connectionString).createTable();
      await instance.close();
    }
    expect(await tableNames(await start({ location }))).toEqual(['Table']);
    expect(await tableNames(await start())).toEqual([]);
  });

  it('serves the accounts of its options, each with its own tables', async () => {
    const instance = await start({ accounts });
    const [one, two] = [instance.connectionStringOf('one'), instance.connectionStringOf('two')];
    expect(instance.connectionString).toBe(one);
    await tableOf(one).createTable();
    await tableOf(two, 'Other').createTable();
    expect(await tableNames({ connectionString: one })).toEqual(['Table']);
    expect(await tableNames({ connectionString: two })).toEqual(['Other']);
    expect(instance.endpoint('two')).toBe(`${instance.url}/two`);
  });

  it('serves HTTPS with a self-signed certificate, which it returns', async () => {
    const { certificate, endpoint, url } = await start({ https: true, oauth: true });
    expect(url).toMatch(/^https:/);
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      request(`${endpoint()}/Tables`, { ca: certificate }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(answer).toBeGreaterThanOrEqual(400);
  });

  it('can be closed more than once', async () => {
    const instance = await start();
    await Promise.all([instance.close(), instance.close()]);
    await instance.close();
    await expect(fetch(instance.url)).rejects.toThrow('fetch failed');
  });

  it('is closed at the end of an `await using` block', async () => {
    let url = '';
    {
      await using instance = await startTabularium();
      url = instance.url;
      expect(await tableNames(instance)).toEqual([]);
    }
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });
});

describe('reset', () => {
  it('empties every account for later requests', async () => {
    const instance = await start({ accounts });
    const strings = accounts.map(({ name }) => instance.connectionStringOf(name));
    for (const string of strings) {
      await tableOf(string).createTable();
      await tableOf(string).createEntity({ partitionKey: 'p', rowKey: 'r' });
    }
    await instance.reset();
    for (const connectionString of strings) expect(await tableNames({ connectionString })).toEqual([]);
    await tableOf(instance.connectionString).createTable();
    await tableOf(instance.connectionString).createEntity({ partitionKey: 'p', rowKey: 'r' });
  });

  it('of one account leaves the other accounts', async () => {
    const instance = await start({ accounts });
    const strings = accounts.map(({ name }) => instance.connectionStringOf(name));
    for (const string of strings) await tableOf(string).createTable();
    await instance.reset({ account: 'one' });
    expect(await Promise.all(strings.map((connectionString) => tableNames({ connectionString })))).toEqual([
      [],
      ['Table'],
    ]);
  });
});

describe('startTabularium rejects', () => {
  it.each<[string, TabulariumOptions, string]>([
    ['a key that is not base64', { accounts: [{ name: 'one', keys: ['?'] }] }, 'not base64'],
    ['an account without keys', { accounts: [{ name: 'one', keys: [] }] }, 'one or two keys'],
    ['a name with a colon', { accounts: [{ name: 'one:b25l', keys: [] }] }, "'one:b25l'"],
    ['bearer tokens without HTTPS', { oauth: true }, 'needs https'],
    ['a certificate that is not there', { https: { cert: '/no/cert.pem', key: '/no/key.pem' } }, 'does not exist'],
  ])('%s', async (_, options, words) => {
    await expect(start(options)).rejects.toThrow(words);
  });

  it.each<[string, unknown, string]>([
    ['an option in another letter case', { cacheMB: 1 }, "There is no 'cacheMB'. Did you mean cacheMb?"],
    ['the name of a command-line flag', { tablePort: 0 }, "There is no 'tablePort'. Known: host, port, "],
    ['a property name of every object', { constructor: 1 }, "There is no 'constructor'."],
    ['a port that is text', { port: '10002' }, "port must be a number; got '10002'."],
    ['a port that is too large', { port: 65536 }, 'port must be at most 65535; got 65536.'],
    ['a port with a fraction', { port: 1.5 }, 'port must be a whole number; got 1.5.'],
    ['a port that is not a number', { port: Number.NaN }, 'port must be a number; got NaN.'],
    ['a port that is null', { port: null }, 'port must be a number; got null.'],
    ['an empty host', { host: '' }, "host must be an address or a name of this machine, as 127.0.0.1; got ''."],
    ['an empty location', { location: '' }, "location must be the path of a folder; got ''."],
    ['a location that is true', { location: true }, 'location must be the path of a folder; got true.'],
    ['no accounts', { accounts: [] }, 'accounts must be a list of accounts, each as { name, keys: [key] }.'],
    ['accounts as text', { accounts: 'one:b25l' }, 'accounts must be a list of accounts'],
    [
      'an account with key instead of keys',
      { accounts: [{ name: 'one', key: 'b25l' }] },
      'accounts must be a list of accounts',
    ],
    [
      'an account whose keys are text',
      { accounts: [{ name: 'one', keys: 'b25l' }] },
      'accounts must be a list of accounts',
    ],
    ['HTTPS as text', { https: 'yes' }, 'https must be true, false, { cert, key } or'],
    ['a certificate without a key', { https: { cert: 'c.pem' } }, 'https must be true, false,'],
    ['a certificate of both kinds', { https: { cert: 'c', key: 'k', pfx: 'p' } }, 'https must be true, false,'],
    ['bearer tokens by level', { oauth: 'basic' }, "oauth must be true or false; got 'basic'."],
    ['a negative cache', { cacheMb: -1 }, 'cacheMb must be at least 0; got -1.'],
    ['an endless cache', { cacheMb: Number.POSITIVE_INFINITY }, 'cacheMb must be a whole number; got Infinity.'],
    ['another durability', { durability: 'disk' }, "durability must be one of: os, fsync; got 'disk'."],
    [
      'a host with a scheme',
      { allowedHosts: ['http://x'] },
      "allowedHosts (an item of the list) must be a name without scheme and port, as tables.example.com or *.internal; got 'http://x'.",
    ],
    ['a logger that is not an object', { logger: true }, 'logger must be a pino logger; got true.'],
    ['options that are text', 'memory', 'The options must be an object'],
    ['options that are null', null, 'The options must be an object'],
  ])('%s', async (_, options, words) => {
    await expect(start(options as TabulariumOptions)).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringContaining(words),
    });
    const { setupWith } = await import('../../src/vitest.js');
    await expect(setupWith(options as TabulariumOptions)({ provide() {} })).rejects.toThrow(words);
  });

  it('nothing if the value of an option is undefined', async () => {
    const options = { port: undefined, location: undefined, accounts: undefined, logger: undefined };
    expect((await start(options as unknown as TabulariumOptions)).url).toMatch(/^http:/);
  });

  it('an unknown account in the methods of an instance', async () => {
    const instance = await start({ accounts });
    expect(() => instance.connectionStringOf('three')).toThrow(
      'There is no account three. The accounts are: one, two.',
    );
    expect(() => instance.endpoint('three')).toThrow('one, two');
    await expect(instance.reset({ account: 'three' })).rejects.toThrow('one, two');
  });

  it('a port that is in use', async () => {
    const { port } = await start();
    await expect(start({ port })).rejects.toThrow('EADDRINUSE');
  });

  it('a folder that another instance uses', async () => {
    const location = await makeFolder();
    await start({ location });
    await expect(start({ location })).rejects.toThrow('in use');
  });
});
