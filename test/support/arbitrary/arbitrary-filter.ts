import fc from 'fast-check';
import type { ComparisonOperator, Filter, Literal } from '../../../src/query/filter/filter.js';

const operator = fc.constantFrom<ComparisonOperator>('eq', 'ne', 'gt', 'ge', 'lt', 'le');

const hexDigit = fc.constantFrom(...'0123456789abcdef');
const hexDigits = (length: number) => fc.string({ unit: hexDigit, minLength: length, maxLength: length });

/** A number as the parser returns it: printed by JavaScript, without a negative zero. */
const doubleText = fc.double().map((value) => String(value));

/** Any literal in the normalized form of the parser. */
export const literal: fc.Arbitrary<Literal> = fc.oneof(
  fc.record({ type: fc.constant('Edm.String' as const), value: fc.string({ unit: 'binary', maxLength: 10 }) }),
  fc.record({
    type: fc.constant('Edm.String' as const),
    value: fc.string({ unit: fc.constantFrom("'", 'a', '\ud800') }),
  }),
  fc.record({ type: fc.constant('Edm.Boolean' as const), value: fc.boolean().map(String) }),
  fc.record({ type: fc.constant('Edm.Int32' as const), value: fc.integer().map(String) }),
  fc.record({
    type: fc.constant('Edm.Int64' as const),
    value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  }),
  fc.record({ type: fc.constant('Edm.Double' as const), value: doubleText }),
  fc.record({
    type: fc.constant('Edm.DateTime' as const),
    value: fc
      .date({ min: new Date('1601-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
      .map((date) => `${date.toISOString().slice(0, 19)}Z`),
  }),
  fc.record({
    type: fc.constant('Edm.Guid' as const),
    value: fc.tuple(...[8, 4, 4, 4, 12].map(hexDigits)).map((parts) => parts.join('-')),
  }),
  fc.record({
    type: fc.constant('Edm.Binary' as const),
    value: fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  }),
);

const propertyName = fc.constantFrom(
  'A',
  '_',
  'größe',
  'orders',
  'notes',
  'android',
  'trueish',
  'datetime',
  'X',
  'and',
  'eq',
);

/** Returns filters over these leaves, a few levels deep. */
export function filterOver(leaf: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> {
  return fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        operands: fc.array(tie('filter'), { minLength: 2, maxLength: 4 }),
      }),
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        operands: fc.tuple(tie('filter'), tie('filter')),
      }),
      fc.record({ kind: fc.constant('not' as const), operand: tie('filter') }),
    ),
  })).filter;
}

/** Returns comparisons of these properties with these literals. */
export function comparisonOf(property: fc.Arbitrary<string>, value: fc.Arbitrary<Literal>): fc.Arbitrary<Filter> {
  return fc.record({ kind: fc.constant('comparison' as const), property, operator, literal: value });
}

/** Returns filters without an operator: a bare property, `true`, `false`. */
export function bareFilter(property: fc.Arbitrary<string>): fc.Arbitrary<Filter> {
  return fc.oneof(
    fc.record({ kind: fc.constant('property' as const), name: property }),
    fc.record({ kind: fc.constant('constant' as const), value: fc.boolean() }),
  );
}

/** Any filter that a client can write. */
export const anyFilter = filterOver(fc.oneof(comparisonOf(propertyName, literal), bareFilter(propertyName)));
