import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { misspelledVariables, ResolvedOptions } from '../../../src/commands/options/option-sources.js';
import {
  foreignFlags,
  type OptionName,
  optionNames,
  rowOf,
  type Settings,
  variableOf,
} from '../../../src/commands/options/option-table.js';
import { configOf, helpOf } from '../../support/clients/parse-command.js';

/** Two texts for each setting, with their values. Where possible both differ from each other and from the default. */
const samples: Readonly<{ [Name in OptionName]: readonly [string, Settings[Name], string, Settings[Name]] }> = {
  tableHost: ['0.0.0.0', '0.0.0.0', '::1', '::1'],
  tablePort: ['0', 0, '4711', 4711],
  cosmosPort: ['0', 0, '4711', 4711],
  cosmos: ['true', true, 'false', false],
  cosmosAccounts: ['first:a2V5', 'first:a2V5', 'second:a2V5', 'second:a2V5'],
  allowedHosts: ['a.example', ['a.example'], '*.b.example, c', ['*.b.example', 'c']],
  journal: ['0', 0, '100', 100],
  journalBodies: ['true', true, 'false', false],
  admin: ['off', 'off', 'token', 'token'],
  adminToken: ['a', 'a', 'b', 'b'],
  adminReadToken: ['a', 'a', 'b', 'b'],
  faults: ['flaky', 'flaky', 'fault=503', 'fault=503'],
  deleteTableMs: ['40000', 40_000, '0', 0],
  allowTestClock: ['true', true, 'false', false],
  faultSeed: ['7', 7, '4294967295', 4_294_967_295],
  noExplorer: ['true', true, 'false', false],
  tableKeepAliveTimeout: ['5', 5, '7', 7],
  tableHeadersTimeout: ['5', 5, '0', 0],
  tableBodyTimeout: ['5', 5, '7', 7],
  location: ['a', 'a', 'b', 'b'],
  inMemoryPersistence: ['true', true, 'no', false],
  seed: [`a${delimiter}b`, ['a', 'b'], 'c', ['c']],
  import: ['a', 'a', 'b', 'b'],
  exportOnExit: ['a', 'a', 'b', 'b'],
  database: ['postgres://a/b', 'postgres://a/b', 'postgresql://c:1/d', 'postgresql://c:1/d'],
  databaseSchema: ['a', 'a', 'b_2', 'b_2'],
  databaseConnections: ['4', 4, '25', 25],
  durability: ['fsync', 'fsync', 'os', 'os'],
  cacheMb: ['0', 0, '64', 64],
  accounts: ['first:a2V5', 'first:a2V5', 'second:a2V5', 'second:a2V5'],
  accountsFile: ['a', 'a', 'b', 'b'],
  identity: ['a', 'a', 'b', 'b'],
  identityKey: ['a', 'a', 'b', 'b'],
  identitySecrets: ['a=b', 'a=b', 'c=d', 'c=d'],
  cert: ['a', 'a', 'b', 'b'],
  key: ['a', 'a', 'b', 'b'],
  pwd: ['a', 'a', 'b', 'b'],
  https: ['on', true, '0', false],
  oauth: ['basic', 'basic', 'basic', 'basic'],
  log: ['json', 'json', 'human', 'human'],
  silent: ['yes', true, 'off', false],
  debug: ['a', 'a', 'b', 'b'],
  loose: ['1', true, 'FALSE', false],
  skipApiVersionCheck: ['True', true, 'No', false],
  disableProductStyleUrl: ['true', true, 'false', false],
  disableTelemetry: ['true', true, 'false', false],
};

const file = (name: string, text: string) => ({ path: 'own.json', texts: new Map([[name as OptionName, text]]) });
const none = { flags: {}, environment: {}, file: undefined };

describe.each(optionNames)('%s', (name) => {
  const [text, value, otherText, other] = samples[name];
  const variable = variableOf(name);
  const read = (sources: Partial<ConstructorParameters<typeof ResolvedOptions>[0]>) =>
    new ResolvedOptions({ ...none, ...sources });

  it('has a default', () => {
    expect(read({}).settings[name]).toEqual(rowOf(name).fallback);
    expect(read({}).kindOf(name)).toBe('default');
  });

  it('is read from its variable and from a file', () => {
    expect(read({ environment: { [variable]: text } }).settings[name]).toEqual(value);
    expect(read({ file: file(name, text) }).settings[name]).toEqual(value);
  });

  it('by flag takes precedence over its variable, by variable over a file', () => {
    const both = read({ flags: { [name]: text }, environment: { [variable]: otherText }, file: file(name, otherText) });
    expect(both.settings[name]).toEqual(value);
    expect(both.kindOf(name)).toBe('flag');

    const below = read({ environment: { [variable]: otherText }, file: file(name, text) });
    expect(below.settings[name]).toEqual(other);
    expect(below.kindOf(name)).toBe('variable');
  });

  it('ignores an empty variable', () => {
    expect(read({ environment: { [variable]: '' }, file: file(name, text) }).settings[name]).toEqual(value);
  });

  it('is in the help with flag, variable and default', () => {
    const { flags, fallback } = rowOf(name);
    const line = helpOf()
      .split('\n')
      .find((one) => new RegExp(`\\b${variable}\\b`).test(one));

    if (flags !== undefined) expect(line).toContain(flags);
    if (fallback !== undefined && fallback !== false) expect(line).toContain(`default ${fallback}`);
    expect(line).toContain(rowOf(name).help);
  });
});

describe('An invalid value', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tabularium-options-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['tablePort', '65536', 'A port is a number from 0 to 65535.'],
    ['tablePort', '-1', 'A port is a number from 0 to 65535.'],
    ['tablePort', '1.5', 'A port is a number from 0 to 65535.'],
    ['allowedHosts', 'http://a.example', 'Write names without scheme and port, as tables.example.com,*.internal.'],
    ['allowedHosts', 'a:80', 'Write names without scheme and port, as tables.example.com,*.internal.'],
    ['tableKeepAliveTimeout', 'long', 'A time is a whole number of seconds, up to 2147483.'],
    ['tableKeepAliveTimeout', '2147484', 'A time is a whole number of seconds, up to 2147483.'],
    ['cacheMb', '1.5', 'A size is a whole number of MiB.'],
    ['durability', 'disk', 'Use os or fsync.'],
    ['log', 'pretty', 'Use human or json.'],
    ['admin', 'on', 'Use off, loopback or token.'],
    ['oauth', 'full', 'The only level is basic.'],
  ])('%s %j is refused with the name of its source', (name, text, remedy) => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify({ [name]: text }));

    expect(() => configOf([`--${name}`, text])).toThrow(`--${name} cannot be '${text}'. ${remedy}`);
    const variable = variableOf(name);
    expect(() => configOf([], { [variable]: text })).toThrow(`${variable} cannot be '${text}'. ${remedy}`);
    expect(() => configOf(['--config', path])).toThrow(`${name} in ${path} cannot be '${text}'. ${remedy}`);
  });

  it('of a switch is rejected with the valid values', () => {
    expect(() => configOf([], { TABULARIUM_SILENT: 'maybe' })).toThrow(
      "TABULARIUM_SILENT cannot be 'maybe'. Use true or false.",
    );
  });

  it.each(['tableHost', 'location', 'debug', 'tablePort'])('of %s is rejected if it is empty', (name) => {
    expect(() => configOf([`--${name}`, ''])).toThrow(`--${name} cannot be ''.`);
  });
});

describe('Environment variables', () => {
  it('that Kubernetes sets for a service called tabularium-table are ignored', () => {
    expect(configOf([], { TABULARIUM_TABLE_PORT: 'tcp://10.0.0.11:10002' }).port).toBe(10002);
  });

  it('that are misspelled get a note with the nearest name', () => {
    expect(misspelledVariables({ TABULARIUM_TABLEPORT: '1', TABULARIUM_ACOUNTS: 'a' })).toEqual([
      'There is no variable TABULARIUM_TABLEPORT; did you mean TABULARIUM_TABLE_PORT?',
      'There is no variable TABULARIUM_ACOUNTS; did you mean TABULARIUM_ACCOUNTS?',
    ]);
  });

  it('of other programs get no note', () => {
    const others = [
      'TABULARIUM_PORT',
      'TABULARIUM_SERVICE_HOST',
      'TABULARIUM_CONNECTION_STRING',
      'TABULARIUM_ENDPOINT',
    ];

    expect(misspelledVariables(Object.fromEntries([...others, 'TABLE_PORT'].map((name) => [name, 'x'])))).toEqual([]);
  });

  it('can name a configuration file', () => {
    expect(() => configOf([], { TABULARIUM_CONFIG: 'no-such-file' })).toThrow('no-such-file cannot be read');
  });
});

describe('The help', () => {
  it.each(['start', 'sas', 'connection-string', 'exec', 'doctor'])('of %s lists the options', (command) => {
    expect(helpOf(command)).toContain('--tablePort <port>');
    expect(helpOf()).toContain(command);
  });

  it('names the flags that have no effect', () => {
    for (const flag of foreignFlags) expect(helpOf()).toContain(flag.split(' ')[0]);
  });

  it('uses the name that the program was started by', () => {
    expect(helpOf(undefined, 'azurite-table')).toContain('Usage: azurite-table ');
  });
});
