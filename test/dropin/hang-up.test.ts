import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePlace, type Place } from '../support/programs/place.js';
import { cleanEnvironment, runProgram } from '../support/programs/run-program.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace('tabularium');
});
afterEach(() => place.clear());

const options = ['--inMemoryPersistence', '--tablePort', '0', '--silent'];

describe.skipIf(process.platform === 'win32')('A server whose terminal is closed', () => {
  it('exports its data at the end', async () => {
    const file = join(place.folder, 'data.ndjson');
    const server = place.start('tabularium', [...options, '--import', file, '--exportOnExit']);
    await server.until(/listening at/);
    server.kill('SIGHUP');

    expect(await server.ended).toMatchObject({ code: 0, errors: '' });
    expect(await readFile(file, 'utf8')).toBe('');
  });

  it.runIf(process.platform === 'linux')('continues if nohup started it', async () => {
    const server = runProgram(
      ['sh', '-c', 'trap "" HUP; exec "$0" "$@"', process.execPath, join(place.folder, 'tabularium'), ...options],
      { cwd: place.folder, environment: cleanEnvironment({}) },
    );
    await server.until(/listening at/);
    server.kill('SIGHUP');
    // Signals arrive in order, so the end comes from the second one.
    server.kill('SIGTERM');

    expect(await server.ended).toMatchObject({ code: 0, signal: null });
  });
});
