import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from 'vitest';
import { createClock } from '../../../src/clock/clock.js';
import type { TableStore } from '../../../src/store/store.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import { expectOneOrder, scripts } from '../../support/arbitrary/table-history.js';
import { shortenTurns } from '../../support/measures/short-turns.js';
import { account } from '../../support/store/store-changes.js';
import { groundsOf, makePlace, type TestPlace } from '../../support/store/test-engines.js';

const grounds = groundsOf([
  { engine: 'memory', cacheBytes: 0, turns: 'long' },
  { engine: 'memory', cacheBytes: 64 * 1024, turns: 'long' },
  { engine: 'memory', cacheBytes: 64 * 1024 * 1024, turns: 'short' },
  { engine: 'level', cacheBytes: 0, turns: 'long' },
  { engine: 'level', cacheBytes: 64 * 1024, turns: 'short' },
  { engine: 'level', cacheBytes: 64 * 1024 * 1024, turns: 'long' },
  { engine: 'level', cacheBytes: 64 * 1024 * 1024, turns: 'short' },
]);

describe.each(grounds)('a store in $engine with a read cache of $cacheBytes bytes and $turns turns', (ground) => {
  const { engine, cacheBytes, turns } = ground;
  let restore = () => {};
  beforeEach(() => {
    if (turns === 'short') restore = shortenTurns();
  });
  afterEach(() => restore());
  let place: TestPlace;
  let store: TableStore;
  let tables = 0;
  beforeAll(async () => {
    place = await makePlace(engine);
    store = await place.open({ clock: createClock(), cacheBytes });
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  it('is linearizable: all concurrent clients observe one sequence of whole states', async () => {
    await fc.assert(
      fc.asyncProperty(scripts(false, { clients: [2, 4], actions: [1, 9] }), async (all) => {
        const table = `Table${tables++}`;
        await store.createTable(account, table);
        await expectOneOrder([store], table, all);
        await store.deleteTable(account, table);
      }),
      { numRuns: runs(150) },
    );
  });
});
