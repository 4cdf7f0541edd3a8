import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KnownLayouts } from '../../../src/entity/body/known-layouts.js';
import { readAnyEntity } from '../../../src/entity/body/read-entity.js';
import type { SentEntity } from '../../../src/entity/body/sent-entity.js';
import { edmTypes } from '../../../src/protocol/edm.js';
import { anyText, finiteDouble, instant, properties } from '../../support/arbitraries.js';
import { runs } from '../../support/property-runs.js';
import { refusalOf } from '../../support/refusal-of.js';

/** Names as they are written in JSON. */
const name = fc.constantFrom(
  'PartitionKey',
  'RowKey',
  'Timestamp',
  'A',
  'B1',
  'Größe',
  'a.b',
  'odata.etag',
  'A@b',
  '\\u0041',
);

/** The JSON of a value, by what a program keeps in a property. Some are not canonical, and some no entity can have. */
const kinds = [
  fc.constantFrom('"A"', '"B1"', '""', '"x y"', '"a\\"b"', '"é"', '"\\u0041"', '"\u007f"'),
  anyText.map((text) => JSON.stringify(text)),
  fc.integer().map(String),
  fc.nat(2).map(String),
  finiteDouble.map(String),
  fc.constantFrom('0', '-0', '3.0', '1e3', '1E400', '2147483648', '-2147483649', '999999999', '01', '1.', '0.10'),
  fc.constantFrom('true', 'false', 'null', '"true"', '"1"'),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map((value) => `"${value}"`),
  instant.map((text) => `"${text}"`),
  fc.constantFrom('"2024-02-30T00:00:00Z"', '"1600-01-01T00:00:00Z"', '"2024-01-01"', '"2024-01-01T00:00:00.10Z"'),
  fc.uuid().map((text) => `"${text}"`),
  fc.constantFrom('"C9DA6455-213d-42c9-9a79-3e9149a57833"', '"QUI="', '"QUI"', '[1]', '{"a":1}'),
];
const type = fc.constantFrom(...edmTypes, 'Edm.Nonsense').map((text) => `"${text}"`);

/** A member of a body: its name, its annotation if it has one, and what its value is in each of some bodies. */
const member = fc
  .tuple(name, fc.option(type, { nil: undefined }), fc.constantFrom(...kinds))
  .chain(([name, annotation, kind]) =>
    fc.record({
      name: fc.constant(name),
      annotation: fc.constant(annotation),
      values: fc.array(kind, { minLength: 6, maxLength: 6 }),
    }),
  );

/** Six bodies of a program: the same members with other values. */
const bodies = fc
  .tuple(
    fc.uniqueArray(member, { selector: ({ name }) => name, maxLength: 6 }),
    fc.constantFrom('', ' ', '\n  '),
    fc.boolean(),
  )
  .map(([members, space, isTypeFirst]) =>
    Array.from({ length: 6 }, (_, at) => {
      const texts = members.flatMap(({ name, annotation, values }) => {
        const value = `"${name}":${space}${values[at]}`;
        if (annotation === undefined) return [value];
        const typed = `"${name}@odata.type":${annotation}`;
        return isTypeFirst ? [typed, value] : [value, typed];
      });
      return `{${space}${texts.join(`,${space}`)}}`;
    }),
  );

function outcomeOf(read: () => SentEntity): unknown {
  try {
    return read();
  } catch {
    return refusalOf(read);
  }
}

function readWith(layouts: KnownLayouts, body: string): SentEntity {
  const known = layouts.read(body);
  if (known) return known;
  const entity = readAnyEntity(body);
  layouts.learn(body);
  return entity;
}

describe('bodies of known layouts', () => {
  it('are read and refused as any other body', () => {
    fc.assert(
      fc.property(fc.array(bodies, { minLength: 1, maxLength: 3 }), (programs) => {
        const layouts = new KnownLayouts();
        for (const body of programs.flat()) {
          expect(outcomeOf(() => readWith(layouts, body))).toEqual(outcomeOf(() => readAnyEntity(body)));
        }
      }),
      { numRuns: runs(600) },
    );
  });

  it('are read after any character of them has changed', () => {
    fc.assert(
      fc.property(properties, fc.nat(), fc.constantFrom(...'"\\,:{}0a '), (own, place, character) => {
        const members = own.map(({ name, type, json }) => `"${name}@odata.type":"${type}","${name}":${json}`);
        const body = `{${['"PartitionKey":"p"', '"RowKey":"r"', ...members].join()}}`;
        const layouts = new KnownLayouts();
        layouts.learn(body);
        const at = place % body.length;
        const other = body.slice(0, at) + character + body.slice(at + 1);
        expect(outcomeOf(() => readWith(layouts, other))).toEqual(outcomeOf(() => readAnyEntity(other)));
      }),
      { numRuns: runs(600) },
    );
  });
});
