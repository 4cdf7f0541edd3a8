import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rootOf } from '../../../src/client/connection-strings.js';
import { readServerUrl } from '../../../src/client/server-url.js';
import { targetServers } from '../../../src/commands/verbs/run-verb.js';
import { makeFolder } from '../../support/programs/make-folder.js';
import { runLine } from '../../support/programs/run-line.js';

/** Returns the root of the server that a command asks. */
function rootFor(urls: readonly string[], environment: NodeJS.ProcessEnv = {}): string {
  const [server] = targetServers(urls, environment);
  if (!server) throw new Error('no server is asked');
  return rootOf(server.endpoint);
}

describe('readServerUrl', () => {
  it.each([
    ['10010', 'http://127.0.0.1:10010'],
    ['localhost:10010', 'http://localhost:10010'],
    ['[::1]:10010', 'http://[::1]:10010'],
    ['127.0.0.1:80', 'http://127.0.0.1:80'],
    ['http://127.0.0.1:10010/', 'http://127.0.0.1:10010'],
    ['HTTPS://Tables.example', 'https://tables.example:443'],
    ['http://tables', 'http://tables:80'],
    ['0.0.0.0:10010', 'http://127.0.0.1:10010'],
  ])('reads %s as %s', (text, root) => {
    expect(rootOf(readServerUrl(text, '--url'))).toBe(root);
  });

  it.each([
    [''],
    [' '],
    ['tables'],
    ['0'],
    ['99999'],
    ['tables:'],
    ['tables:0'],
    [' tables:1'],
    ['tables:1/x'],
    ['http://'],
    ['http://tables/devstoreaccount1'],
    ['http://tables?x'],
    ['http://tables#x'],
    ['http://user@tables'],
    ['ftp://tables:21'],
    ['UseDevelopmentStorage=true'],
  ])("rejects '%s'", (text) => {
    expect(() => readServerUrl(text, '--url')).toThrow(`--url cannot be '${text}'. Use the URL of a server`);
  });

  it('reads what rootOf writes, whatever the server', () => {
    const hosts = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain());
    const endpoints = fc.record({
      scheme: fc.constantFrom('http' as const, 'https' as const),
      host: hosts,
      port: fc.integer({ min: 1, max: 65_535 }),
    });
    fc.assert(
      fc.property(endpoints, (endpoint) => {
        const root = rootOf(endpoint);
        // Of a server on all interfaces, a client on this machine reaches a loopback address.
        fc.pre(!['[::]', '0.0.0.0'].includes(new URL(root).hostname));
        const written = rootOf(readServerUrl(root, '--url'));
        expect(new URL(written).href).toBe(new URL(root).href);
      }),
    );
  });
});

describe('the server that a command asks', () => {
  const environment = { TABULARIUM_URL: 'http://127.0.0.1:1', TABULARIUM_TABLE_PORT: '2' };

  it.each([
    ['that of --url, before the variable', ['3'], environment, 'http://127.0.0.1:3'],
    ['that of TABULARIUM_URL, before the other variables', [], environment, 'http://127.0.0.1:1'],
    ['that of the other variables', [], { TABULARIUM_TABLE_PORT: '2' }, 'http://127.0.0.1:2'],
    ['the default, if the variable is empty', [], { TABULARIUM_URL: '' }, 'http://127.0.0.1:10002'],
  ])('is %s', async (_title, urls, variables, root) => {
    expect(rootFor(urls, variables)).toBe(root);
  });

  it('gets the token of the variables, or of the file that they name', async () => {
    const tokenFor = (more: NodeJS.ProcessEnv) => targetServers([], { ...environment, ...more })[0]?.token;
    expect(tokenFor({ TABULARIUM_ADMIN_TOKEN: 'all', TABULARIUM_ADMIN_READ_TOKEN: 'read' })).toBe('all');
    expect(tokenFor({ TABULARIUM_ADMIN_READ_TOKEN: 'read' })).toBe('read');
    const path = join(await makeFolder(), 'settings.json');
    await writeFile(path, '{"adminToken":"of-file"}');
    expect(tokenFor({ TABULARIUM_CONFIG: path })).toBe('of-file');
  });

  it('is rejected with the name of the variable', async () => {
    expect(() => rootFor([], { TABULARIUM_URL: 'x' })).toThrow("TABULARIUM_URL cannot be 'x'.");
  });

  it('is not described by the options of a server', async () => {
    const { code, errors } = await runLine(['reset', '--tablePort', '10010']);
    expect({ code, errors }).toEqual({ code: 2, errors: 'There is no --tablePort here. Use --url 10010.\n' });
  });
});
