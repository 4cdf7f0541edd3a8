import { describe, expect, it } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { AllowedHosts, hostRejection } from '../../../src/service/allowed-hosts.js';
import { rejectionOf } from '../../support/answers/rejection-of.js';

const account = (name: string) => ({ name, keys: [] });

function hostsOf(...named: string[]): AllowedHosts {
  return new AllowedHosts(named, new Accounts([account('devstoreaccount1'), account('Orders')]));
}

describe('a host', () => {
  it.each([
    [
      'is an IPv4 address',
      ['127.0.0.1', '127.0.0.1:10002', '127.8.9.1:80', '0.0.0.0:1', '10.1.2.3', '192.168.0.7:10002'],
    ],
    ['is an IPv6 address', ['[::1]', '[::1]:10002', '[fe80::1]:80', '[2001:db8::1]']],
    [
      'is this machine',
      ['localhost', 'LocalHost:10002', 'localhost.', 'a.localhost', 'x.table.LOCALHOST:1', 'a.localhost.:1'],
    ],
    ['is a single label', ['tabularium', 'azurite:10002', 'my_service', 'devstoreaccount1', 'nosuchaccount:80']],
    [
      'is the cloud name of an account',
      [
        'devstoreaccount1.table.core.windows.net',
        'DevStoreAccount1.Table.Core.Windows.Net:443',
        'devstoreaccount1-secondary.table.core.windows.net',
        'orders.table.core.usgovcloudapi.net',
      ],
    ],
    ['is missing', [undefined, '']],
  ])('is allowed if it %s', (_what, names) => {
    for (const name of names) expect(hostsOf().allows(name), name).toBe(true);
  });

  it.each([
    'rebound.example',
    'rebound.example:10002',
    'localhost.example',
    'notlocalhost.example.',
    '127.0.0.1.example',
    '1.2.3.4.5',
    '127.0.0.1.nip.io',
    'devstoreaccount1.example',
    'devstoreaccount1.table.example',
    'devstoreaccount1.table.core.windows.net.example',
    'stranger.table.core.windows.net',
    'a.devstoreaccount1.table.core.windows.net',
    '.localhost.example',
    '\u212aernel.example',
  ])('is not allowed if it is %s', (name) => {
    expect(hostsOf().allows(name)).toBe(false);
  });

  it('is allowed if --allowedHosts contains it, in any letter case and with any port', () => {
    const hosts = hostsOf('Tables.Example.com', '*.internal');

    for (const name of [
      'tables.example.com',
      'TABLES.example.COM:8080',
      'a.internal',
      'a.b.internal:1',
      'a.internal.',
    ]) {
      expect(hosts.allows(name), name).toBe(true);
    }
    for (const name of [
      'example.com',
      'a.tables.example.com',
      'a.internal.example',
      'xinternal.example',
      'a.xinternal',
    ]) {
      expect(hosts.allows(name), name).toBe(false);
    }
  });

  it('is always allowed if --allowedHosts is *', () => {
    expect(hostsOf('*').allows('any.example')).toBe(true);
  });

  it('of an account counts as long as there is the account', () => {
    const accounts = new Accounts([account('devstoreaccount1')]);
    const hosts = new AllowedHosts([], accounts);
    const name = 'devstoreaccount1.table.core.windows.net';
    expect(hosts.allows(name)).toBe(true);

    accounts.replace([account('other')]);

    expect(hosts.allows(name)).toBe(false);
  });
});

describe('a request for a foreign host', () => {
  const host = 'rebound.example';

  it.each([
    ['Origin', { origin: 'http://rebound.example' }],
    ['an opaque Origin', { origin: 'null' }],
    ['Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }],
    ['Sec-Fetch-Mode', { 'sec-fetch-mode': 'cors' }],
    ['Accept-Language', { 'accept-language': 'en-US' }],
    ['an empty Accept-Language', { 'accept-language': '' }],
    ['the User-Agent of a browser', { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' }],
  ])('is rejected if it has %s', (_sign, headers) => {
    expect(rejectionOf(() => hostsOf().check({ host, ...headers }))).toEqual({
      code: 'HostNotAllowed',
      message:
        'The host rebound.example is not allowed. Start the server with --allowedHosts rebound.example if it is yours.',
    });
    expect(() => hostsOf().check({ host: 'localhost', ...headers })).not.toThrow();
  });

  it.each([
    'azsdk-js-data-tables/13.3.0 core-rest-pipeline/1.19.0 Node/20.20.2 OS/(x64-Linux-6.1)',
    'azsdk-python-data-tables/12.5.0 Python/3.12.3 (Linux-6.8.0-x86_64-with-glibc2.39)',
    'azsdk-net-Data.Tables/12.9.1 (.NET 8.0.8; Ubuntu 24.04 LTS)',
    'azsdk-go-aztables/v1.3.0 (go1.23.1; linux)',
    'azsdk-java-azure-data-tables/12.5.0 (17.0.12; Linux; 6.8.0)',
    'Azure-Storage/2.10.7 (NODE-VERSION v20.20.2; Linux 6.1)',
    'Azure-Cosmos-Table/1.0.8 (.NET CLR 4.0)',
    'Java-SDK',
    'curl/8.5.0',
  ])('is served to %s', (agent) => {
    expect(() => hostsOf().check({ host, 'user-agent': agent, accept: 'application/json' })).not.toThrow();
    expect(() => hostsOf().check({ host, accept: '*/*', 'accept-encoding': 'gzip' })).not.toThrow();
  });
});

it('the error repeats a host only if it is a valid name', () => {
  const unnamed =
    'The host of this request is not allowed. Start the server with --allowedHosts <name> if it is yours.';
  for (const host of ['a.b <script>', 'a.b"&', `${'a.'.repeat(200)}b`, 'a.b\u00e4'])
    expect(hostRejection(host)).toBe(unnamed);
});
