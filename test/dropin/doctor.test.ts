import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePlace, type Place } from '../support/programs/place.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace('tabularium');
});
afterEach(() => place.clear());

/** Starts a server in the folder of the test. Returns its URL. */
async function startHere(): Promise<string> {
  const program = place.start('tabularium', ['--tablePort', '0', '--location', place.folder]);
  const [url] = await program.until(/http:\/\/127\.0\.0\.1:\d+/);
  return url;
}

const doctor = (options: readonly string[], variables: Record<string, string> = {}) =>
  place.start('tabularium', ['doctor', '--location', place.folder, ...options], variables).ended;

describe('tabularium doctor', () => {
  it('finds no problem in what a running server holds, its port and its data', async () => {
    const { port } = new URL(await startHere());
    const { code, output } = await doctor(['--tablePort', port]);

    expect(output).toContain(`ok       port 127.0.0.1:${port}: in use by Tabularium, whose status is ready (http)\n`);
    expect(output).toMatch(/^ok {7}data: .* is in use by another process, and a Tabularium is running$/m);
    expect([code, output]).toEqual([0, expect.not.stringContaining('problem')]);
  });

  it('examines the server of TABULARIUM_URL', async () => {
    const url = await startHere();
    const { code, output } = await doctor([], { TABULARIUM_URL: url });

    expect(output).toContain(`ok       server ${url}: Tabularium, whose status is ready (http)\n`);
    expect([code, output]).toEqual([0, expect.not.stringContaining('port')]);
  });

  it('finds a problem in data that another process has, if it finds no server', async () => {
    await startHere();
    const { code, output } = await doctor(['--tablePort', '0']);

    expect(output).toMatch(
      /^problem {2}data: .* is in use by another process\.\n {9}Stop it, or choose another --location\.$/m,
    );
    expect(code).toBe(1);
  });
});
