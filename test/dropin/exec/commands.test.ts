import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../../src/index.js';
import { makePlace, type Place } from '../../support/programs/place.js';

let place: Place;
let bystander: Tabularium;
beforeEach(async () => {
  place = await makePlace('tabularium');
  await writeFile(join(place.folder, 'data.ndjson'), '{"$table":"Orders"}\n');
  await writeFile(join(place.folder, 'others.ndjson'), '{"$table":"Others"}\n');
  // Without `exec`, commands would ask this server: its port is in the environment of each test.
  bystander = await startTabularium({ seed: join(place.folder, 'others.ndjson') });
});
afterEach(async () => {
  await bystander.close();
  await place.clear();
});

/** Runs `tabularium exec` with a command of Tabularium as its command. */
const exec = (words: readonly string[], options: readonly string[] = ['--import', 'data.ndjson'], more = {}) =>
  place.start('tabularium', ['exec', ...options, '--', process.execPath, join(place.folder, 'tabularium'), ...words], {
    TABULARIUM_TABLE_PORT: String(bystander.port),
    ...more,
  }).ended;

describe('a command in tabularium exec', () => {
  it('resets the server of exec and no other', async () => {
    const { code, output } = await exec(['reset', '--to', 'empty', '--json']);

    expect({ code, ...JSON.parse(output) }).toMatchObject({ code: 0, to: 'empty', tables: 1 });
    expect(await bystander.undo.list()).toEqual([]);
    expect((await bystander.diff('seed')).differences).toEqual([]);
  });

  it.each([
    ['a token that the server made', ['--tableHost', '0.0.0.0'], {}],
    ['a token of a file', ['--config', 'settings.json'], {}],
    ['a self-signed certificate', ['--https'], {}],
    ['a server around it', [], { TABULARIUM_URL: 'http://127.0.0.1:1' }],
  ])('reaches its server with %s', async (_title, options, more) => {
    await writeFile(join(place.folder, 'settings.json'), '{"admin":"token","adminToken":"one"}');
    const { code, output, errors } = await exec(['export'], ['--import', 'data.ndjson', ...options], more);

    expect({ code, output, errors }).toMatchObject({ code: 0, output: expect.stringContaining('"Orders"') });
  });

  it.each([['sas'], ['connection-string'], ['health']])('%s names the server of exec', async (command) => {
    const { code, output } = await exec([command]);

    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/http:\/\/127\.0\.0\.1:\d+/) });
    expect(output).not.toContain(`:${bystander.port}`);
  });

  it('asks another server that its own options name', async () => {
    for (const words of [
      ['--url', bystander.url],
      ['--url', `${bystander.port}`],
    ]) {
      const { output } = await exec(['snapshot', 'list', ...words], []);
      expect(output).toMatch(/^seed /);
    }
  });
});
