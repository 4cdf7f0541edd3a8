import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataFolder } from '../../../src/store/level/open-folder.js';
import { randomFrom } from '../../support/arbitrary/random.js';
import { type ChildOptions, countStart, eachInFolder, killWhileStarting } from '../../support/programs/child-server.js';
import { openAt } from '../../support/programs/data-folder.js';
import { openingPoint } from '../../support/programs/stop-points.js';
import { makeOldFolder } from '../../support/store/old-folder.js';
import { rowsOf } from '../../support/store/store-changes.js';

/** Number of kills of an upgrade. A thorough run uses more. */
const rounds = Number(process.env['TABULARIUM_KILL_ROUNDS'] ?? 2);

let location: string;
eachInFolder((folder) => {
  location = folder;
});

// The state of the files after each step, without processes, is in test/unit/store/level/upgrade/killed-upgrade.test.ts.
describe(`A server that is killed ${rounds} times while it upgrades a folder of version 0.1.0`, () => {
  it('upgrades the folder at the next start, with all that it had', {
    timeout: 600_000 + rounds * 30_000,
  }, async () => {
    const random = randomFrom(1);
    const original = join(location, 'original');
    await makeOldFolder(original);
    const place = join(location, 'place');
    const options: ChildOptions = { location: place };
    const restore = () => {
      rmSync(place, { recursive: true, force: true });
      cpSync(original, place, { recursive: true });
    };
    restore();
    const counts = await countStart(options);
    const left = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      restore();
      // Once or twice, so that an upgrade that goes on is killed, too.
      for (let kill = 0; kill <= round % 2; kill++)
        await killWhileStarting(options, openingPoint(counts, random() / 2));
      left.add(readFileSync(join(place, dataFolder, 'FORMAT'), 'utf8').trim());
      const reports: unknown[] = [];
      const store = await openAt(place, (report) => reports.push(report));
      expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/b', 'p/c']);
      await store.close();
      expect(reports).toEqual([]);
      expect(readFileSync(join(place, dataFolder, 'FORMAT'), 'utf8')).toBe('5\n');
    }
    if (process.env['TABULARIUM_KILL_ROUNDS'] !== undefined) {
      process.stdout.write(`${rounds} rounds, FORMAT was ${[...left].join(', ')}\n`);
    }
  });
});
