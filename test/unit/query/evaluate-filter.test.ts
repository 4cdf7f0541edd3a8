import { describe, expect, it } from 'vitest';
import { writeJsonString } from '../../../src/entity/stored/json-text.js';
import type { StoredValue } from '../../../src/entity/stored/read-property.js';
import { compileFilter } from '../../../src/query/filter/evaluate-filter.js';
import type { ComparisonOperator, Filter } from '../../../src/query/filter/filter.js';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';

type Row = Readonly<Record<string, StoredValue>>;

const operators: readonly ComparisonOperator[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'];

function matches(text: string, row: Row): boolean {
  return compileFilter<Row>(parseFilter(text) as Filter, (name) => (values) => values[name])(row);
}

/** Returns the operators for which the stored value matches the literal. */
function holding(stored: StoredValue, literal: string): string {
  return operators.filter((operator) => matches(`A ${operator} ${literal}`, { A: stored })).join(' ');
}

const string = (text: string): StoredValue => ({ type: 'Edm.String', json: writeJsonString(text) });
const int32 = (json: string): StoredValue => ({ type: 'Edm.Int32', json });
const int64 = (digits: string): StoredValue => ({ type: 'Edm.Int64', json: `"${digits}"` });
const double = (json: string): StoredValue => ({ type: 'Edm.Double', json });
const boolean = (json: string): StoredValue => ({ type: 'Edm.Boolean', json });
const dateTime = (text: string): StoredValue => ({ type: 'Edm.DateTime', json: `"${text}"` });
const guid = (text: string): StoredValue => ({ type: 'Edm.Guid', json: `"${text}"` });
const binary = (hex: string): StoredValue => ({
  type: 'Edm.Binary',
  json: `"${Buffer.from(hex, 'hex').toString('base64')}"`,
});

const [less, equal, greater] = ['ne lt le', 'eq le ge', 'ne gt ge'];
const mismatch = 'ne lt le';
const unordered = 'ne';

describe('A comparison of values of the same type', () => {
  it.each([
    [string('a'), "'b'", less],
    [string('B'), "'b'", less],
    [string('b'), "'bB'", less],
    [string(''), "'a'", less],
    [string('ab'), "'ab!'", less],
    [string(`O'Brien "é"`), `'O''Brien "é"'`, equal],
    [string('é'), "'z'", greater],
    // By UTF-16 code unit: the astral character begins with U+D83D.
    [string('😀'), "'\ue000'", less],
    [string('\\u0041'), "'A'", greater],
    [int32('-1'), '0', less],
    [int32('10'), '9', greater],
    [int64('9007199254740993'), '9007199254740992L', greater],
    [int64('9223372036854775807'), '9223372036854775806L', greater],
    [int64('9223372036854775807'), '9007199254740991L', greater],
    [int64('-9223372036854775808'), '-9223372036854775808L', equal],
    [double('4.0999999999999996'), '4.1', equal],
    [double('0.0'), '-0.0', equal],
    [double('-0.0'), '0.0', equal],
    [double('1E+20'), '1e20', equal],
    [double('"Infinity"'), 'INF', equal],
    [double('"-Infinity"'), '-1e300', less],
    [double('"NaN"'), '1.0', unordered],
    [double('"NaN"'), 'NaN', unordered],
    [double('1.0'), 'NaN', unordered],
    [boolean('false'), 'true', less],
    [boolean('true'), 'true', equal],
    [dateTime('2020-01-01T00:00:00Z'), "datetime'2020-01-01T00:00:00.0000001Z'", less],
    [dateTime('2020-01-01T00:00:00.2Z'), "datetime'2020-01-01T01:00:00.2000000+01:00'", equal],
    [dateTime('2020-01-01T00:00:00.12Z'), "datetime'2020-01-01T00:00:00.119Z'", greater],
    [guid('5826aa00-0000-0000-0000-000000000000'), "guid'6826AA00-0000-0000-0000-000000000000'", less],
    [guid('6826aa00-0000-0000-0000-000000000000'), "guid'6826AA00-0000-0000-0000-000000000000'", equal],
    [binary('62696e'), "X'62696e617279'", less],
    [binary('ff'), "binary'62696e617279'", greater],
    [binary('62696E617279'), "X'62696e617279'", equal],
    [binary(''), "X''", equal],
    // As base64, fb is before 00.
    [binary('fb'), "X'00'", greater],
  ] as const)('matches %o and %s with the operators %s', (stored, literal, expected) => {
    expect(holding(stored, literal)).toBe(expected);
  });
});

describe('A comparison of values of different types', () => {
  // A literal and a value of each type. Without numeric widening, every pair of different types is a mismatch.
  const stored = {
    'Edm.String': string('1'),
    'Edm.Boolean': boolean('true'),
    'Edm.Int32': int32('1'),
    'Edm.Int64': int64('1'),
    'Edm.Double': double('1.0'),
    'Edm.DateTime': dateTime('2020-01-01T00:00:00Z'),
    'Edm.Guid': guid('6826aa00-0000-0000-0000-000000000000'),
    'Edm.Binary': binary('01'),
  } as const;
  const table: Record<string, readonly (keyof typeof stored)[]> = {
    "'1'": ['Edm.String'],
    true: ['Edm.Boolean'],
    '1': ['Edm.Int32', 'Edm.Int64', 'Edm.Double'],
    '1L': ['Edm.Int64', 'Edm.Double'],
    '1.0': ['Edm.Double'],
    "datetime'2020-01-01T00:00:00Z'": ['Edm.DateTime'],
    "guid'6826aa00-0000-0000-0000-000000000000'": ['Edm.Guid'],
    "X'01'": ['Edm.Binary'],
  };

  for (const [literal, comparable] of Object.entries(table)) {
    for (const [type, value] of Object.entries(stored)) {
      const fits = comparable.some((one) => one === type);
      it(`of ${type} with ${literal} ${fits ? 'compares the values' : 'is a mismatch'}`, () => {
        expect(holding(value, literal)).toBe(fits ? equal : mismatch);
      });
    }
  }

  it('does not depend on the values if it is a mismatch', () => {
    for (const literal of ['3L', '3.0', '-3L', '-3.0']) expect(holding(int32('3'), literal)).toBe(mismatch);
    for (const literal of ['2.0', '4.0']) expect(holding(int64('3'), literal)).toBe(mismatch);
    expect(holding(string('z'), '1')).toBe(mismatch);
  });

  it('widens an Int32 literal to Int64 and Double, and an Int64 literal to Double', () => {
    expect(holding(int64('9007199254740993'), '3')).toBe(greater);
    expect(holding(int64('2'), '3')).toBe(less);
    expect(holding(double('3.5'), '3')).toBe(greater);
    expect(holding(double('3.5'), '4L')).toBe(less);
    expect(holding(double('"NaN"'), '4L')).toBe(unordered);
    expect(holding(double('9.2233720368547758E+18'), '9223372036854775807L')).toBe(equal);
  });
});

describe('A missing property', () => {
  it('satisfies no comparison, not even ne', () => {
    for (const operator of operators) expect(matches(`X ${operator} 1`, {})).toBe(false);
  });

  it('satisfies the negation of every comparison', () => {
    for (const operator of operators) expect(matches(`not (X ${operator} 1)`, {})).toBe(true);
  });

  it('is false as an operand by itself', () => {
    expect(matches('X', {})).toBe(false);
    expect(matches('not X', {})).toBe(true);
  });
});

describe('A filter with logical operators', () => {
  const row = { T: boolean('true'), F: boolean('false'), S: string('true') };

  it.each([
    ['T', true],
    ['F', false],
    ['S', false],
    ['not F', true],
    ['true', true],
    ['false', false],
    ['T and F', false],
    ['T or F', true],
    ['F or F or T', true],
    ['F or F or F', false],
    ['T and T and T', true],
    ['T and T and F', false],
    ['T or F and F', true],
    ['(T or F) and F', false],
    ['not T and F', false],
    ['not (T and F)', true],
    ['T eq true and F eq false', true],
  ])('evaluates %s to %s', (text, expected) => {
    expect(matches(text, row)).toBe(expected);
  });

  it('evaluates thousands of terms', () => {
    const chain = (word: string) => Array.from({ length: 4000 }, (_, n) => `A ne ${n}`).join(` ${word} `);
    expect(matches(chain('and'), { A: int32('-1') })).toBe(true);
    expect(matches(chain('and'), { A: int32('3999') })).toBe(false);
  });
});
