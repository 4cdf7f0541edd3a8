import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { examineData } from '../../src/commands/doctor/examine-data.js';
import { dataFolder } from '../../src/store/level/open-folder.js';
import { runs } from '../support/arbitrary/property-runs.js';
import { configOf } from '../support/clients/parse-command.js';
import { eachInFolder, startAndFail, startChild } from '../support/programs/child-server.js';
import { fillFolder, fingerprint } from '../support/programs/data-folder.js';
import { cleanEnvironment, type Ending, runProgram, serverFile } from '../support/programs/run-program.js';
import { countOperations, readCounts, signalAfter } from '../support/programs/stop-points.js';
import { mountDisk, whyNoDisk } from '../support/store/mounted-disk.js';

let place: string;
let from: string;
let to: string;
eachInFolder((made) => {
  place = made;
  from = join(place, 'from');
  to = join(place, 'to');
});

const copied = /^copied and verified: 1 table, 3001 entities, settings of 0 accounts\nSHA-256 of both: [0-9a-f]{64}\n$/;

/** Runs `tabularium copy` with options of Node until it ends. Leaves out lines about its progress, which come if it takes long. */
async function copy(
  { target = to, temporary = place }: { readonly target?: string; readonly temporary?: string } = {},
  node: readonly string[] = [],
): Promise<Ending> {
  const words = [...node, serverFile, 'copy', '--from', from, '--to', target];
  const environment = cleanEnvironment({ TMPDIR: temporary });
  const ending = await runProgram([process.execPath, ...words], { environment }).ended;
  return { ...ending, errors: ending.errors.replace(/^(?:copying|verifying): \d+ entities\n/gm, '') };
}

/**
 * Returns points of a copy, from before it opens its source until it prints its result, and one that it does not reach.
 * Unit: operations.
 */
async function pointsOfCopy(): Promise<readonly number[]> {
  const target = join(place, 'counted');
  const { opens, prints } = readCounts((await copy({ target }, countOperations)).errors);
  const steps = runs(3);
  const step = (prints - opens) / steps;
  return [...Array.from({ length: steps + 2 }, (_, at) => opens + (at - 1) * step), 2 * prints];
}

/** Returns what there is at the target, by the files that mark it. */
function stateOf(): 'untouched' | 'unfinished' | 'complete' {
  const names = existsSync(join(to, dataFolder)) ? readdirSync(join(to, dataFolder)) : [];
  if (names.includes('UNFINISHED-COPY')) return 'unfinished';
  return names.includes('FORMAT') ? 'complete' : 'untouched';
}

describe('tabularium copy', () => {
  it('prints what was copied, and a server opens the copy', async () => {
    await fillFolder(from);
    expect(await copy()).toEqual({ code: 0, signal: null, output: expect.stringMatching(copied), errors: '' });
    const server = await startChild({ location: to });
    await server.stop('SIGTERM');
  });

  it('that is killed at any point leaves its source as it is and a target that no server opens, and starts over', async () => {
    await fillFolder(from);
    const before = fingerprint(join(from, dataFolder));
    const seen = new Set<string>();
    for (const operations of await pointsOfCopy()) {
      if (stateOf() === 'complete') rmSync(to, { recursive: true });
      await copy({}, signalAfter('SIGKILL', operations));
      expect(fingerprint(join(from, dataFolder))).toEqual(before);
      seen.add(stateOf());
      if (stateOf() !== 'unfinished') continue;
      const { errors } = await startAndFail({ location: to });
      expect(errors).toBe(
        `The data in ${join(to, dataFolder)} is a copy that is not complete. Copy again, or delete the folder.\n`,
      );
      expect((await examineData(configOf(['-l', to]))).finding.found).toBe(
        `The data in ${join(to, dataFolder)} is a copy that is not complete.`,
      );
    }
    expect(seen).toEqual(new Set(['untouched', 'unfinished', 'complete']));
    if (stateOf() !== 'complete') expect((await copy()).output).toMatch(copied);
    expect((await copy()).errors).toBe(
      `The folder ${join(to, dataFolder)} is not empty. Pass a folder without data to --to.\n`,
    );
    const server = await startChild({ location: to });
    await server.stop('SIGTERM');
  });

  it('that gets SIGTERM ends with its code and says that it can be run again', async () => {
    await fillFolder(from);
    const seen = new Set<string>();
    for (const operations of await pointsOfCopy()) {
      if (stateOf() === 'complete') rmSync(to, { recursive: true });
      const { code, errors } = await copy({}, signalAfter('SIGTERM', operations));
      seen.add(stateOf());
      if (stateOf() !== 'complete') expect(code).toBe(143);
      if (stateOf() === 'unfinished') {
        expect(errors).toBe('The copy was interrupted. Run the command again; it starts over.\n');
      }
    }
    expect(seen).toEqual(new Set(['untouched', 'unfinished', 'complete']));
  });

  it('rejects a source that a server uses, and creates no target', async () => {
    await fillFolder(from);
    const server = await startChild({ location: from });
    expect(await copy()).toEqual({
      code: 2,
      signal: null,
      output: '',
      errors: `The data in ${join(from, dataFolder)} is in use by another process. Stop it, or choose another --location.\n`,
    });
    expect(existsSync(to)).toBe(false);
    expect((await server.client().get('/Tables')).status).toBe(200);
    await server.stop('SIGTERM');
  });

  it.skipIf(whyNoDisk)(`to a full disk says so, and starts over when there is space${whyNoDisk}`, async () => {
    await fillFolder(from);
    const disk = await mountDisk(200);
    const target = disk.folder;
    expect(await copy({ target })).toMatchObject({
      code: 2,
      errors: `The disk of ${join(target, dataFolder)} is full. Free space on it, and run the command again. It starts over.\n`,
    });
    disk.resize(20_000);
    expect((await copy({ target })).output).toMatch(copied);
    disk.unmount();
  });

  it.skipIf(whyNoDisk)(`with a full temporary folder says so${whyNoDisk}`, async () => {
    await fillFolder(from);
    const disk = await mountDisk(16);
    expect((await copy({ temporary: disk.folder })).errors).toBe(
      `The disk of the temporary folder ${disk.folder} is full. Free space on it, or choose another one with TMPDIR.\n`,
    );
    disk.unmount();
  });
});
