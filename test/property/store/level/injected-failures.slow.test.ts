import fc from 'fast-check';
import { it } from 'vitest';
import { runs } from '../../../support/arbitrary/property-runs.js';
import { anyHistory } from '../../../support/failing-store/failing-history.js';
import { FailingStore } from '../../../support/failing-store/failing-store.js';

/** Number of histories. TABULARIUM_SEED chooses which. */
const histories = Number(process.env['TABULARIUM_HISTORIES'] ?? runs(25));
const seed = process.env['TABULARIUM_SEED'];

/**
 * What clients see of a store whose disk fails is compared with a model of maps. Operations are asked for in small groups, and have to
 * fit one order: what is acknowledged was done, and what was rejected was not. A view shows one moment of that order. When the disk works
 * again, so does the store, and after a stop, a kill or a power failure it has what it had.
 */
it(
  'a store on a failing disk keeps what it acknowledged, and nothing that it rejected',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, (history) => new FailingStore(history).run()),
      { numRuns: histories, ...(seed !== undefined && { seed: Number(seed) }) },
    );
  },
  600_000 + histories * 10_000,
);
