import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nearestName } from '../../../src/nearest-name.js';
import { configOf } from '../../support/clients/parse-command.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabularium-config-'));
  path = join(folder, 'own.json');
});
afterEach(() => rm(folder, { recursive: true }));

describe('A configuration file', () => {
  it('contains settings as strings, numbers and booleans', async () => {
    await writeFile(path, '\uFEFF{ "tablePort": 4711, "location": "data", "silent": true, "cacheMb": "7" }');

    expect(configOf(['--config', path])).toMatchObject({ port: 4711, location: 'data', silent: true, cacheMb: 7 });
    expect(configOf([], { TABULARIUM_CONFIG: path })).toMatchObject({ port: 4711 });
    expect(configOf(['--config', path, '--tablePort', '1'])).toMatchObject({ port: 1, cacheMb: 7 });
  });

  it('contains a list of seeds', async () => {
    await writeFile(path, '{ "seed": ["people.csv", "orders.json"] }');

    expect(configOf(['--config', path])).toMatchObject({ seeds: ['people.csv', 'orders.json'] });
  });

  it.each([
    ['{ "seed": ["people.csv", {}] }', 'seed must be a string, a number, true or false, or a list of paths.'],
    ['{ "seed": [] }', 'seed must be a string, a number, true or false, or a list of paths.'],
    ['{ "tablePrt": 1 }', "there is no setting 'tablePrt'. Did you mean 'tablePort'?"],
    ['{ "table-host": "::" }', "there is no setting 'table-host'. Did you mean 'tableHost'?"],
    ['{ "theme": "red" }', "there is no setting 'theme'. Known: tableHost, tablePort,"],
    ['{ "tablePort": null }', 'tablePort must be a string, a number, true or false.'],
    ['{ "tablePort": [1] }', 'tablePort must be a string, a number, true or false.'],
    ['{ "tablePort": 1.5 }', 'must be a whole number; got 1.5.'],
    ['[]', 'does not contain a JSON object'],
    ['"text"', 'does not contain a JSON object'],
    ['tablePort: 1', 'is not JSON'],
    ['', 'is empty'],
  ])('%j is rejected with its path and the reason', async (text, message) => {
    await writeFile(path, text);

    expect(() => configOf(['--config', path])).toThrow(path);
    expect(() => configOf(['--config', path])).toThrow(message);
  });
});

describe('nearestName', () => {
  const names = ['tableHost', 'tablePort', 'key', 'pwd'];

  it.each([
    ['tableport', 'tablePort'],
    ['TABLE_HOST', 'tableHost'],
    ['tablPrt', 'tablePort'],
    ['kye', 'key'],
    ['port', undefined],
    ['keys', 'key'],
    ['x', undefined],
    ['', undefined],
  ])('for %j is %j', (meant, name) => {
    expect(nearestName(meant, names)).toBe(name);
  });
});
