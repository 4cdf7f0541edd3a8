import fc from 'fast-check';
import { writeDouble } from '../../../src/entity/body/read-value.js';
import type { EntityKey, Property } from '../../../src/entity/stored/entity.js';
import { writeJsonString } from '../../../src/entity/stored/json-text.js';
import { storedValueBytes } from '../../../src/entity/stored/read-property.js';
import type { EdmType } from '../../../src/protocol/values/edm.js';

function unitBetween(min: number, max: number): fc.Arbitrary<string> {
  return fc.integer({ min, max }).map((unit) => String.fromCharCode(unit));
}

const plainUnit = fc.constantFrom(...'abzAZ09 ,:{}\'"\\/%@');
const highUnit = unitBetween(0xd800, 0xffff);
const someUnit = fc.oneof(
  { weight: 6, arbitrary: plainUnit },
  { weight: 1, arbitrary: unitBetween(1, 0x1f) },
  { weight: 2, arbitrary: unitBetween(0x20, 0xd7ff) },
  { weight: 3, arbitrary: highUnit },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\u0001', '\ud7ff', '\ud800', '\udfff', '\ue000', '\uf7fe', '\uf7ff', '\uffff'),
  },
);
const lookalike = fc.constantFrom(
  ',"x":1',
  '","x":"',
  '\\",\\"PartitionKey\\":',
  ',"Timestamp":"',
  ',"a@odata.type":"Edm.Int64","a":"1"',
  '\\',
);

/** Any string without U+0000: lone surrogates, characters above U+FFFF, pieces of an entity text. */
export const nulFreeText: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: someUnit, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: highUnit, maxLength: 6 }) },
  { weight: 1, arbitrary: fc.array(fc.oneof(lookalike, plainUnit), { maxLength: 5 }).map((parts) => parts.join('')) },
);

/** Any string. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: nulFreeText },
  { weight: 1, arbitrary: fc.string({ unit: fc.oneof(someUnit, fc.constant('\u0000')), maxLength: 12 }) },
);

/** Any keys that the store accepts. */
export const entityKey: fc.Arbitrary<EntityKey> = fc.record({ partitionKey: nulFreeText, rowKey: nulFreeText });

/** A valid property name: an identifier, which may contain Unicode letters. */
export const propertyName: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...'axXT_', 'é', '汉', '𐐷'),
    fc.string({ unit: fc.constantFrom(...'ax1_', 'é', '汉', '\u0301', '𐐷'), maxLength: 4 }),
  )
  .map(([first, rest]) => first + rest);

/** Any finite double, including small, large and whole ones. */
export const finiteDouble: fc.Arbitrary<number> = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -1_000_000, max: 1_000_000 }),
  fc.maxSafeInteger(),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
);

/** A canonical instant: at most seven fraction digits, without trailing zeros. */
export const instant: fc.Arbitrary<string> = fc
  .tuple(
    fc.date({ min: new Date('1601-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
    fc.oneof(fc.constantFrom(0, 1, 9_999_999, 5_000_000), fc.integer({ min: 0, max: 9_999_999 })),
  )
  .map(([date, ticks]) => {
    const fraction = String(ticks).padStart(7, '0').replace(/0+$/, '');
    return `${date.toISOString().slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z`;
  });

/** A value of every type in its canonical form. */
const canonicalValue: fc.Arbitrary<readonly [EdmType, string]> = fc.oneof(
  fc.tuple(fc.constant('Edm.String' as const), anyText.map(writeJsonString)),
  fc.tuple(fc.constant('Edm.Boolean' as const), fc.boolean().map(String)),
  fc.tuple(fc.constant('Edm.Int32' as const), fc.integer().map(String)),
  fc.tuple(
    fc.constant('Edm.Int64' as const),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => `"${value}"`),
  ),
  fc.tuple(fc.constant('Edm.Double' as const), finiteDouble.map(writeDouble)),
  fc.tuple(fc.constant('Edm.Double' as const), fc.constantFrom('"NaN"', '"Infinity"', '"-Infinity"')),
  fc.tuple(
    fc.constant('Edm.DateTime' as const),
    instant.map((text) => `"${text}"`),
  ),
  fc.tuple(
    fc.constant('Edm.Guid' as const),
    fc.uuid().map((text) => `"${text}"`),
  ),
  fc.tuple(
    fc.constant('Edm.Binary' as const),
    fc.uint8Array({ maxLength: 8 }).map((bytes) => `"${Buffer.from(bytes).toString('base64')}"`),
  ),
);

/** Custom properties of an entity, each name once, in any order. */
export const properties: fc.Arbitrary<Property[]> = fc.uniqueArray(
  fc
    .tuple(propertyName, canonicalValue)
    .map(([name, [type, json]]) => ({ name, type, json, valueBytes: storedValueBytes(type, json) })),
  { selector: ({ name }) => name, maxLength: 8 },
);
