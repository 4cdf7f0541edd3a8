import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AlikeBodies } from '../../../src/entity/body/alike-bodies.js';
import { readEntity } from '../../../src/entity/body/read-entity.js';
import { stringUnitsMax } from '../../../src/protocol/limits.js';
import { alikeBodies } from '../../support/arbitrary/alike-bodies.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import { outcomeOf } from '../../support/bodies/read-outcome.js';

it('reads each body of a transaction as a body alone', () => {
  fc.assert(
    fc.property(fc.array(alikeBodies, { minLength: 1, maxLength: 3 }), (groups) => {
      const alike = new AlikeBodies();
      for (const body of groups.flat()) {
        expect(outcomeOf(() => alike.read(body, stringUnitsMax))).toEqual(
          outcomeOf(() => readEntity(body, stringUnitsMax)),
        );
      }
    }),
    { numRuns: runs(1000) },
  );
});
