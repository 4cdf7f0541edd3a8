import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rootOf } from '../../../src/commands/connection-strings.js';
import { createProgram } from '../../../src/commands/program.js';
import { readConfig } from '../../../src/commands/server-options.js';
import { askedEndpoint, readServerUrl } from '../../../src/commands/server-url.js';

/** Returns the root of the server that a command asks. */
function rootFor(words: readonly string[], environment: NodeJS.ProcessEnv = {}, name = 'reset'): string {
  const program = createProgram('tabularium', environment, () => {});
  const command = program.commands.find((one) => one.name() === name);
  if (!command) throw new Error(`there is no command ${name}`);
  command.exitOverride().action(() => {});
  program.parse([name, ...words], { from: 'user' });
  return rootOf(askedEndpoint(readConfig(command, environment)));
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
    ['that of --url, before the variable', ['--url', '3'], environment, 'http://127.0.0.1:3'],
    ['that of the flags of a server, before the variable', ['--tablePort', '3'], environment, 'http://127.0.0.1:3'],
    ['that of TABULARIUM_URL, before the other variables', [], environment, 'http://127.0.0.1:1'],
    ['that of the other variables', [], { TABULARIUM_TABLE_PORT: '2' }, 'http://127.0.0.1:2'],
    ['the default, if the variable is empty', [], { TABULARIUM_URL: '' }, 'http://127.0.0.1:10002'],
  ])('is %s', (_title, words, variables, root) => {
    expect(rootFor(words, variables)).toBe(root);
  });

  it('is not named and described at once', () => {
    expect(() => rootFor(['--url', '3', '--tablePort', '4'])).toThrow('--url names the server. Leave out --tablePort.');
  });

  it('is rejected with the name of the variable', () => {
    expect(() => rootFor([], { TABULARIUM_URL: 'x' })).toThrow("TABULARIUM_URL cannot be 'x'.");
  });

  it('can be named to each command that asks one, and to no command that starts one', () => {
    const { commands } = createProgram('tabularium', {}, () => {});
    const without = commands.filter(({ options }) => !options.some(({ long }) => long === '--url'));
    expect(without.map((command) => command.name()).sort()).toEqual(['copy', 'doctor', 'exec', 'explain', 'start']);
  });
});
