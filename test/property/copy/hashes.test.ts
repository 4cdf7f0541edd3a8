import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameEntity } from '../../../src/copy/rows/canonical-entity.js';
import { readRow } from '../../../src/copy/rows/cut-rows.js';
import type { Row } from '../../../src/copy/rows/row.js';
import { rowHasher } from '../../../src/copy/rows/sum-rows.js';
import { writeDouble } from '../../../src/entity/body/read-value.js';
import { anyText } from '../../support/arbitrary/arbitraries.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** A value: its identity, and JSON that clients and services write for it. `null`: no annotation. */
interface Value {
  readonly id: string;
  readonly spellings: readonly (readonly [type: string | null, json: string])[];
}

const escaped = (text: string) =>
  `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;

const text = fc.oneof(
  anyText,
  fc.constantFrom('', ',', '","', 'a:Edm.Int32:1', '1', '1.0', 'true', 'null', '\ud800', '\udfff', '\ufffd', '\0', ' '),
);

const string = text.map((text) => ({
  id: `String ${JSON.stringify(text)}`,
  spellings: [null, 'Edm.String'].flatMap((type) => [
    [type, JSON.stringify(text)] as const,
    [type, escaped(text)] as const,
  ]),
}));

const int32 = fc.oneof(fc.constantFrom(0, 1, -1, 2 ** 31 - 1, -(2 ** 31)), fc.integer()).map((value) => ({
  id: `Int32 ${value}`,
  spellings: [
    [null, `${value}`],
    ['Edm.Int32', `${value}`],
    ['Edm.Int32', `"${value}"`],
  ] as const,
}));

const int64 = fc
  .oneof(fc.constantFrom(0n, 1n, -1n), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
  .map((value) => ({
    id: `Int64 ${value}`,
    spellings: [
      ['Edm.Int64', `"${value}"`],
      ['Edm.Int64', `"${value}"`.replace(/\d/, '00$&')],
    ] as const,
  }));

const double = fc.oneof(fc.constantFrom(0, -0, 1, 1e15, 1e21, 5e-324, 0.1), fc.double()).map((value) => {
  const id = `Double ${Object.is(value, -0) ? '-0' : value}`;
  if (!Number.isFinite(value)) return { id, spellings: [['Edm.Double', `"${value}"`]] as const };
  const written = writeDouble(value);
  const scientific = Object.is(value, -0) ? '-0e0' : value.toExponential();
  return {
    id,
    spellings: [
      [null, written],
      [null, scientific],
      ['Edm.Double', written],
      ['Edm.Double', `"${written}"`],
      ['Edm.Double', scientific],
    ] as const,
  };
});

const boolean = fc.boolean().map((value) => ({
  id: `Boolean ${value}`,
  spellings: [
    [null, `${value}`],
    ['Edm.Boolean', `${value}`],
  ] as const,
}));

const guid = fc.uuid().map((value) => ({
  id: `Guid ${value}`,
  spellings: [
    ['Edm.Guid', `"${value}"`],
    ['Edm.Guid', `"${value.toUpperCase()}"`],
  ] as const,
}));

const binary = fc.oneof(fc.constant(new Uint8Array()), fc.uint8Array({ maxLength: 9 })).map((bytes) => {
  const json = `"${Buffer.from(bytes).toString('base64')}"`;
  return {
    id: `Binary ${json}`,
    spellings: [
      ['Edm.Binary', json],
      ['Edm.Binary', json.replaceAll('/', '\\/')],
    ] as const,
  };
});

const dateTime = fc
  .record({
    date: fc.date({
      min: new Date('1601-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    }),
    ticks: fc.oneof(fc.constantFrom(0, 1, 1_200_000), fc.nat(9_999_999)),
  })
  .map(({ date, ticks }) => {
    const seconds = date.toISOString().slice(0, 19);
    const digits = String(ticks).padStart(7, '0');
    const short = digits.replace(/0+$/, '');
    return {
      id: `DateTime ${seconds}.${digits}`,
      spellings: [
        ['Edm.DateTime', `"${seconds}.${digits}Z"`],
        ['Edm.DateTime', `"${seconds}${short && '.'}${short}Z"`],
      ] as const,
    };
  });

const value: fc.Arbitrary<Value> = fc.oneof(string, int32, int64, double, boolean, guid, binary, dateTime);

const name = fc.constantFrom<string>('A', 'a', 'constructor', '__proto__', 'toString', 'Ä', 'Key', '_1');

/** An entity, and the choices of two spellings of it. */
const entity = fc.record({
  keys: fc.tuple(text, text),
  properties: fc.uniqueArray(fc.tuple(name, value), { selector: ([name]) => name, maxLength: 4 }),
});

type Entity = typeof entity extends fc.Arbitrary<infer T> ? T : never;

const idOf = ({ keys, properties }: Entity) =>
  JSON.stringify([keys, properties.map(([name, { id }]) => `${name} ${id}`).sort()]);

/** Writes an entity; `choose` returns a number below another one. */
function write({ keys, properties }: Entity, choose: (count: number) => number): string {
  const members = [
    [`"PartitionKey":${choose(2) ? escaped(keys[0]) : JSON.stringify(keys[0])}`],
    [`"RowKey":${choose(2) ? escaped(keys[1]) : JSON.stringify(keys[1])}`],
    ...properties.map(([name, { spellings }]) => {
      const [type, json] = spellings[choose(spellings.length)] as Value['spellings'][number];
      return [...(type === null ? [] : [`"${name}@odata.type":"${type}"`]), `"${name}":${json}`];
    }),
  ];
  if (choose(2)) members.reverse();
  return `{${members.flat().join(choose(2) ? ',' : ' ,\n')}}`;
}

describe('Entities in any spellings', () => {
  it('have the same hash if, and only if, they have the same keys, names, types and values', () => {
    const hash = rowHasher();
    const near = fc.tuple(entity, entity, fc.boolean()).map(([one, other, isNear]) => {
      if (!isNear) return [one, other] as const;
      // Another value of one property, or another key.
      const [first, ...rest] = one.properties;
      const [name, value] = [first?.[0] ?? 'A', other.properties[0]?.[1]];
      return [one, { keys: one.keys, properties: value ? [[name, value] as [string, Value], ...rest] : rest }] as const;
    });
    fc.assert(
      fc.property(near, fc.infiniteStream(fc.nat()), ([first, second], numbers) => {
        const choose = (count: number) => numbers.next().value % count;
        const [a, again, b] = [first, first, second].map((one) => readRow(write(one, choose))) as [Row, Row, Row];
        expect(hash(again)).toBe(hash(a));
        expect(isSameEntity(a.text, again.text)).toBe(true);
        expect(hash(a) === hash(b)).toBe(idOf(first) === idOf(second));
      }),
      { numRuns: runs(300) },
    );
  });

  it('differ if a name that is there twice has its values in another order', () => {
    const hash = rowHasher();
    const [one, other] = ['"A":1,"A":2', '"A":2,"A":1'].map((members) =>
      hash(readRow(`{"PartitionKey":"p","RowKey":"r",${members}}`)),
    );
    expect(one).not.toBe(other);
  });
});
