import { describe, expect, it } from 'vitest';
import {
  explorerLines,
  programName,
  readyLines,
  startingLines,
  stopLines,
  tokenLines,
} from '../../../src/commands/start/start-lines.js';
import { defaultConfig } from '../../../src/settings/config.js';

describe('programName', () => {
  it.each([
    ['/usr/bin/tabularium', 'tabularium'],
    ['/opt/tabularium/dist/main.js', 'tabularium'],
    ['/usr/local/bin/azurite-table', 'azurite-table'],
    ['/usr/local/bin/azurite', 'azurite'],
    ['/bin/azurite-table.mjs', 'azurite-table'],
    ['/bin/azurite-blob', 'tabularium'],
    [undefined, 'tabularium'],
  ])('for %j is %s', (script, name) => {
    expect(programName(script)).toBe(name);
  });
});

describe('The printed lines', () => {
  const url = 'http://127.0.0.1:10002';
  const own = 'Tabularium Table service is successfully listening at http://127.0.0.1:10002';

  it('consist of one ready line under the name tabularium', () => {
    expect(startingLines('tabularium', defaultConfig)).toEqual([]);
    expect(readyLines('tabularium', url)).toEqual([own]);
    expect(stopLines('tabularium')).toEqual({ closing: [], closed: [] });
  });

  it.each(['azurite', 'azurite-table'] as const)(
    'under the name %s include the lines that other programs wait for',
    (name) => {
      expect(startingLines(name, defaultConfig)).toEqual(['Azurite Table service is starting on 127.0.0.1:10002']);
      expect(readyLines(name, url)).toEqual([
        own,
        'Azurite Table service is successfully listening at http://127.0.0.1:10002',
        'Azurite Table service successfully started on 127.0.0.1:10002',
      ]);
      expect(stopLines(name)).toEqual({
        closing: ['Azurite Table service is closing...'],
        closed: ['Azurite Table service successfully closed'],
      });
    },
  );

  it.each([
    ['http://127.0.0.1:10002', 'http://127.0.0.1:10002'],
    ['http://0.0.0.0:1', 'http://127.0.0.1:1'],
    ['https://[::]:1', 'https://[::1]:1'],
  ])('name the page of %s by an address of this machine', (listening, reached) => {
    expect(explorerLines(listening)).toEqual([`Explorer: ${reached}/_tabularium/`]);
  });

  it('show the token of the control endpoints where browsers do not send it', () => {
    expect(tokenLines('http://0.0.0.0:10002', 'abc')).toEqual([
      'The control endpoints need a token from other machines: http://0.0.0.0:10002/_tabularium#token=abc',
    ]);
  });
});
