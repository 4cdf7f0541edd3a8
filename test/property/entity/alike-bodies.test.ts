import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AlikeBodies } from '../../../src/entity/body/alike-bodies.js';
import { readEntity } from '../../../src/entity/body/read-entity.js';
import { stringUnitsMax } from '../../../src/protocol/limits.js';
import { alikeBodies } from '../../support/arbitrary/alike-bodies.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import { outcomeOf, storedOutcome } from '../../support/bodies/read-outcome.js';

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

it('stores neighboring properties as they were sent, but for a number that the service writes in another way', () => {
  const body = (number: string) =>
    `{"PartitionKey":"p","RowKey":"r","a":"x","n":${number},"i@odata.type":"Edm.Int64","i":"5","d":7.5}`;
  const alike = new AlikeBodies();

  const texts = ['1', '2', '3', '4.25', '2E3', '-0'].map((number) => storedOutcome(alike.read(body(number))).text);

  expect(texts.map((text) => text.slice(text.indexOf(',"a"')))).toEqual(
    ['1', '2', '3', '4.25', '2000.0', '0'].map(
      (number) => `,"a":"x","n":${number},"i@odata.type":"Edm.Int64","i":"5","d":7.5}`,
    ),
  );
});

it.each([
  ['white space', (units: number) => ' '.repeat(units)],
  ['a member that is not stored', (units: number) => `"odata.x":"${'x'.repeat(units)}",`],
  [
    'nulls',
    (units: number) => Array.from({ length: units >> 7 }, (_, at) => `"n${at}${'x'.repeat(120)}":null,`).join(''),
  ],
])(
  'reads bodies with the same members as one alone, however much space %s takes between their values',
  (_, between) => {
    for (let units = 128; units <= 128 * 1000; units *= 2) {
      const body = `{"PartitionKey":"p",${between(units)}"RowKey":"r","a":1}`;
      const alike = new AlikeBodies();
      for (let reads = 0; reads < 3; reads++) {
        expect(storedOutcome(alike.read(body))).toEqual(storedOutcome(readEntity(body)));
      }
    }
  },
);
