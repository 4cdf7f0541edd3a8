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

/** The spellings of a value of each type: two that are stored as sent, and one that is not, or is rejected. */
const spellings: Readonly<Record<string, readonly string[]>> = {
  'Edm.String': ['"a"', '"bc"', '"\\u0041"'],
  'Edm.Boolean': ['true', 'false', 'truefalse'],
  'Edm.Int32': ['0', '-71', '-0'],
  'Edm.Double': ['1.5', '-2.25', '1e400'],
  'Edm.Int64': ['"0"', '"-71"', '"+1"'],
  'Edm.DateTime': ['"2026-11-26T08:00:00Z"', '"2026-11-26T08:00:00.5Z"', '"2026-11-26T08:00:00.50Z"'],
  'Edm.Guid': [
    `"${'a'.repeat(8)}-1111-2222-3333-${'b'.repeat(12)}"`,
    `"${'A'.repeat(8)}-1111-2222-3333-${'b'.repeat(12)}"`,
  ],
};

it('reads bodies of many values, as many as a layout has and more, as bodies alone', () => {
  const type = fc.constantFrom(...Object.keys(spellings));
  const pick = fc.oneof({ weight: 60, arbitrary: fc.nat(1) }, { weight: 1, arbitrary: fc.constant(2) });
  const bodies = fc
    .array(type, { minLength: 8, maxLength: 34 })
    .chain((types) =>
      fc
        .array(fc.array(pick, { minLength: types.length, maxLength: types.length }), { minLength: 3, maxLength: 6 })
        .map((rows) => rows.map((row) => `{${types.map((name, at) => memberOf(name, at, row[at] ?? 0)).join()}}`)),
    );
  fc.assert(
    fc.property(bodies, (texts) => {
      const alike = new AlikeBodies();
      for (const text of texts) expect(outcomeOf(() => alike.read(text))).toEqual(outcomeOf(() => readEntity(text)));
    }),
    { numRuns: runs(150) },
  );
});

it.each([
  [1, true],
  [10, true],
  [32, true],
  [33, false],
])('knows the layout of the third body of %i values in turn: %s', (count, isKnown) => {
  const types = Object.keys(spellings);
  const names = Array.from({ length: count }, (_, at) => types[at % types.length] ?? '');
  const alike = new AlikeBodies();

  const [, , third] = [0, 1, 0].map((spelling) =>
    alike.read(`{${names.map((name, at) => memberOf(name, at, spelling)).join()}}`),
  );

  // Only a body of a known layout has the text of its properties.
  expect(third?.members !== undefined).toBe(isKnown);
});

/** Returns the text of a property, whose name ends with its place. JSON implies four of the types. */
function memberOf(type: string, at: number, spelling: number): string {
  const value = `"p${at}":${spellings[type]?.[spelling] ?? 'null'}`;
  return ['Edm.Int64', 'Edm.DateTime', 'Edm.Guid'].includes(type) ? `"p${at}@odata.type":"${type}",${value}` : value;
}

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
