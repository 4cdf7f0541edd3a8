import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { misspelledVariables, OptionSources } from '../../../src/commands/options/option-sources.js';
import { flagsOf, foreignFlags } from '../../../src/commands/options/server-options.js';
import { faultOf } from '../../../src/schema.js';
import {
  rowOf,
  type SettingName,
  type SettingValues,
  settingNames,
  variableOf,
  wordsOf,
} from '../../../src/settings/settings.js';
import { configOf, helpOf } from '../../support/clients/parse-command.js';

/** Two texts for each setting, with their values. Where possible both differ from each other and from the default. */
const samples: Readonly<{
  [Name in SettingName]: readonly [string, SettingValues[Name], string, SettingValues[Name]];
}> = {
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
  ready: ['json', 'json', 'line', 'line'],
  endWithStdin: ['true', true, 'false', false],
  disableProductStyleUrl: ['true', true, 'false', false],
  disableTelemetry: ['true', true, 'false', false],
};

const folder = mkdtempSync(join(tmpdir(), 'tabularium-options-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a configuration file with one setting and returns its path. */
function fileWith(name: string, text: string): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify({ [name]: text }));
  return path;
}

describe.each(settingNames)('%s', (name) => {
  const [text, value, otherText, other] = samples[name];
  const variable = variableOf(name);
  const read = (flags: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> = {}) =>
    new OptionSources(flags, environment);

  it('has a valid default', () => {
    const { is, fallback } = rowOf(name);
    expect(read({}).values[name]).toEqual(fallback);
    expect(read({}).kindOf(name)).toBe('default');
    expect(fallback === undefined ? undefined : faultOf(name, is, fallback)).toBeUndefined();
  });

  it('is read from its variable and from a file', () => {
    expect(read({}, { [variable]: text }).values[name]).toEqual(value);
    expect(read({ config: fileWith(name, text) }).values[name]).toEqual(value);
  });

  it('by flag takes precedence over its variable, by variable over a file', () => {
    const config = fileWith(name, otherText);
    const both = read({ [name]: text, config }, { [variable]: otherText });
    expect(both.values[name]).toEqual(value);
    expect(both.kindOf(name)).toBe('flag');

    const below = read({ config: fileWith(name, text) }, { [variable]: otherText });
    expect(below.values[name]).toEqual(other);
    expect(below.kindOf(name)).toBe('variable');
  });

  it('ignores an empty variable', () => {
    expect(read({ config: fileWith(name, text) }, { [variable]: '' }).values[name]).toEqual(value);
  });

  it('is in the help with flag, variable and default', () => {
    const flags = flagsOf(name);
    const { fallback } = rowOf(name);
    const line = helpOf()
      .split('\n')
      .find((one) => new RegExp(`\\b${variable}\\b`).test(one));

    if (flags !== undefined) expect(line).toContain(flags);
    if (fallback !== undefined && fallback !== false && String(fallback) !== '')
      expect(line).toContain(`default ${fallback}`);
    expect(line).toContain(wordsOf(name));
  });
});

describe('An invalid value', () => {
  it.each([
    ['tablePort', '65536', 'must be at most 65535; got 65536.'],
    ['tablePort', '-1', 'must be at least 0; got -1.'],
    ['tablePort', '1.5', 'must be a whole number; got 1.5.'],
    ['tablePort', 'x', "must be a number; got 'x'."],
    [
      'allowedHosts',
      'http://a.example',
      "(an item of the list) must be a name without scheme and port, as tables.example.com or *.internal; got 'http://a.example'.",
    ],
    ['tableKeepAliveTimeout', '2147484', 'must be at most 2147483; got 2147484.'],
    ['cacheMb', '1.5', 'must be a whole number; got 1.5.'],
    ['durability', 'disk', "must be one of: os, fsync; got 'disk'."],
    ['admin', 'on', "must be one of: off, loopback, token; got 'on'."],
    ['oauth', 'full', "must be one of: basic; got 'full'."],
    ['location', '', "must be the path of a folder; got ''."],
    ['faults', '', 'must not be empty.'],
    ['database', 'mysql://u:s3cret@db/x', 'must be the URL of a database, as postgres://user@host:5432/name.'],
  ])('%s %j is rejected with the name of its source', (name, text, words) => {
    const path = fileWith(name, text);

    expect(() => configOf([`--${name}`, text])).toThrow(`--${name} ${words}`);
    const variable = variableOf(name);
    if (text !== '') expect(() => configOf([], { [variable]: text })).toThrow(`${variable} ${words}`);
    expect(() => configOf(['--config', path])).toThrow(`${name} in ${path} ${words}`);
  });

  it('of a switch is rejected with the valid values', () => {
    expect(() => configOf([], { TABULARIUM_SILENT: 'maybe' })).toThrow(
      "TABULARIUM_SILENT must be true or false; got 'maybe'.",
    );
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
