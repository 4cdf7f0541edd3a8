import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entity } from '../../../src/explorer/base/entity.js';
import { readStrictly } from '../../../src/explorer/base/strict-json.js';
import type { Value } from '../../../src/explorer/base/value.js';
import { copyOf, draftOf, isChanged, jsonOf, propertiesOf, withJson } from '../../../src/explorer/model/draft.js';
import { runs } from '../../support/arbitrary/property-runs.js';

const place = { account: 'a', table: 'T' };
const entityOf = (properties: Entity['properties']): Entity => ({
  ...{ partitionKey: 'p"}', rowKey: 'r,:', timestamp: '', etag: '', properties },
});

const texts: Readonly<Record<Value['type'], fc.Arbitrary<string>>> = {
  'Edm.String': fc.string({ unit: 'binary', maxLength: 20 }),
  'Edm.Boolean': fc.constantFrom('true', 'false'),
  'Edm.Int32': fc.integer().map(String),
  'Edm.Int64': fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String),
  'Edm.Double': fc.oneof(
    fc.double().map((value) => (Object.is(value, -0) ? '-0.0' : String(value))),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value.toPrecision(17)),
    fc.constantFrom(
      '1.0',
      '1',
      'NaN',
      'Infinity',
      '-Infinity',
      '5e-324',
      '1.7976931348623157E+308',
      '868294506694571.2',
    ),
  ),
  'Edm.DateTime': fc.constantFrom(
    '1601-01-01T00:00:00Z',
    '2026-11-28T17:47:41.1234567Z',
    '9999-12-31T23:59:59.9999999Z',
  ),
  'Edm.Guid': fc.uuid(),
  'Edm.Binary': fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64')),
};
const types = Object.keys(texts) as Value['type'][];
const values = fc.constantFrom(...types).chain((type) => texts[type].map((text): Value => ({ type, text })));
const names = fc.constantFrom('A', 'B', '_c', 'Größe', '__proto__', 'constructor', 'A1');
const properties = fc.array(fc.tuple(names, values), { maxLength: 6 }).map((members) => new Map(members));

/** Bad texts with a sign at the fault, and its message. */
const bad: readonly (readonly [text: string, fault: RegExp])[] = [
  ['', /Write an object/],
  ['▲[1]', /Write an object/],
  ['{"a": 1▲', /comma or a closing brace/],
  ['{"a": 1,▲}', /name of a property in double quotes/],
  ['{"a": 1} ▲x', /ends before/],
  ['{"a" ▲1}', /colon/],
  ['{▲a: 1}', /double quotes/],
  ['{"a": ▲{"b": 1}}', /cannot be an object/],
  ['{"a": ▲[1, 2]}', /cannot be a list/],
  ['{"a": ▲null}', /null/],
  ['{"a": ▲undefined}', /Write a string/],
  ['{"a": ▲01}', /Write a string/],
  ['{"a": ▲1.}', /Write a string/],
  ['{"a": ▲"b}', /Write a string/],
  ['{"a": ▲3000000000}', /between -2147483648 and 2147483647.*"a@odata.type": "Edm.Int64"/],
  ['{"a": ▲1e400}', /too large for a Double/],
  ['{"a": ▲9007199254740993.0}', /cannot hold all of these digits: it would be 9007199254740992/],
  ['{"a": ▲0.12345678901234567890}', /cannot hold all/],
  ['{"a": ▲1e-400}', /cannot hold all/],
  ['{"a@odata.type": "Edm.Int64", "a": ▲9007199254740993}', /in double quotes/],
  ['{"a@odata.type": "Edm.Int64", "a": ▲"9223372036854775808"}', /between/],
  ['{"a@odata.type": ▲"Edm.Date", "a": "2026-01-01"}', /no type "Edm.Date"/],
  ['{"a@odata.type": "Edm.DateTime", "a": ▲"yesterday"}', /Write a date/],
  ['{"a@odata.type": "Edm.Guid", "a": ▲true}', /in double quotes/],
  ['{"a@odata.type": "Edm.Int32", "a": ▲1.5}', /Write an integer/],
  ['{"a": 1,\n ▲"a": 2}', /already above/],
  ['{"a": 1, ▲"\\u0061": 2}', /already above/],
  ['{▲"a@odata.type": "Edm.Int64"}', /no property a/],
  ['{▲"1a": 1}', /Use letters/],
  ['{▲"Timestamp": "2026-01-01T00:00:00Z"}', /reserves this name/],
  ['{▲"odata.etag": "x"}', /Use letters/],
  ['{\n  "PartitionKey": ▲"q"\n}', /stays "p/],
  ['{"RowKey": ▲1}', /RowKey is a string/],
];

describe('The JSON of an entity', () => {
  it('is read as the same values, types and digits', () => {
    fc.assert(
      fc.property(properties, (own) => {
        const draft = draftOf(place, entityOf(own));
        const read = withJson(draft, jsonOf(draft));
        expect(read.json).toBeUndefined();
        expect(propertiesOf(read)).toEqual(own);
        expect(isChanged(read)).toBe(false);
        const other = withJson(draftOf(place, entityOf(new Map())), jsonOf(draft));
        expect(propertiesOf(other)).toEqual(own);
      }),
      { numRuns: runs(2000) },
    );
  });

  it.each(bad)('has a fault at its place: %s', (marked, message) => {
    const draft = draftOf(place, entityOf(new Map([['kept', { type: 'Edm.String', text: 'x' }]])));
    const text = marked.replace('▲', '');
    const { json, changes } = withJson(draft, text);
    const before = marked.slice(0, Math.max(marked.indexOf('▲'), 0)).split('\n');
    expect(json).toBe(text);
    expect(readStrictly(text, draft)).toMatchObject({
      fault: { line: before.length, column: (before.at(-1) ?? '').length + 1, text: expect.stringMatching(message) },
    });
    expect(changes).toEqual(draft.changes);
  });

  it('of a new entity has its keys, too', () => {
    const draft = copyOf(place, entityOf(new Map()), new Map());
    expect(withJson(draft, '{"PartitionKey": "q", "RowKey": "s"}')).toMatchObject({ partitionKey: 'q', rowKey: 's' });
  });
});
