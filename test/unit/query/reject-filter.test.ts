import { describe, expect, it } from 'vitest';
import { filterDepthMax, filterUnitsMax } from '../../../src/protocol/limits.js';
import { declaredOfTable } from '../../../src/protocol/values/edm.js';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';
import { rejectionOf } from '../../support/answers/rejection-of.js';
import { rejectionOfFilter } from '../../support/answers/rejection-of-filter.js';

describe('parseFilter with a syntax error', () => {
  it.each([
    ['aaa bbb ccc', 7],
    ["property1 eq 1'invalid'", 23],
    ['A EQ 1', 4],
    ['A eq 1)', 7],
    ['A eq 5 eq 6', 9],
    ['A eq 5x', 7],
    ['A eq 1and B', 9],
    ["A eq foo'bar'", 13],
    ["PartitionKey eq 'it's'", 21],
    ['A/B eq 1', 2],
    ['A eq 1. ', 7],
    ["Duration'2020-01-01' eq A", 20],
  ])('reports the index after the offending token of %s', (text, position) => {
    expect(rejectionOfFilter(text)).toEqual({
      code: 'InvalidInput',
      message: `Syntax error at position ${position} in '${text}'.`,
    });
  });

  it.each([
    ['A eq', 4],
    ['A eq ', 5],
    ['A eq )', 5],
    ['A eq 1 and', 10],
    ['not', 3],
    ['A eq not', 8],
    ['A eq not )', 9],
    ['()', 1],
    ['startswith(A,', 13],
  ])('reports a missing expression in %s', (text, position) => {
    expect(rejectionOfFilter(text).message).toBe(`Expression expected at position ${position} in '${text}'.`);
  });

  it.each([
    ['(A eq 1', "')' or operator expected at position 7 in '(A eq 1'."],
    ['(A eq 1 B', "')' or operator expected at position 8 in '(A eq 1 B'."],
    ['length(A B)', "')' or ',' expected at position 9 in 'length(A B)'."],
    ["A eq 'x", "There is an unterminated string literal at position 7 in 'A eq 'x'."],
    ["A eq 'x''", "There is an unterminated string literal at position 9 in 'A eq 'x'''."],
    ["A eq GUID'x", "There is an unterminated string literal at position 11 in 'A eq GUID'x'."],
    ["A eq guid'x", "There is an unterminated string literal at position 11 in 'A eq guid'x'."],
    ['A eq "x"', `Syntax error: character '"' is not valid at position 5 in 'A eq "x"'.`],
    ['A # 1', "Syntax error: character '#' is not valid at position 2 in 'A # 1'."],
    ['A eq 1 😀', "Syntax error: character '😀' is not valid at position 7 in 'A eq 1 😀'."],
  ])('reports the fault in %s', (text, message) => {
    expect(rejectionOfFilter(text)).toEqual({ code: 'InvalidInput', message });
  });

  it('accepts a filter of the maximum length and rejects a longer one', () => {
    const long = (units: number) => 'A'.repeat(units);
    expect(parseFilter(long(filterUnitsMax))).toEqual({ kind: 'property', name: long(filterUnitsMax) });
    expect(rejectionOfFilter(long(filterUnitsMax + 1)).code).toBe('InvalidInput');
  });

  it('accepts a filter of the maximum depth and rejects a deeper one', () => {
    const nested = (depth: number) => `${'('.repeat(depth)}A eq 1${')'.repeat(depth)}`;
    expect(parseFilter(nested(filterDepthMax))).toEqual(parseFilter('A eq 1'));
    expect(rejectionOfFilter(nested(filterDepthMax + 1))).toEqual({
      code: 'InvalidInput',
      message: 'Recursion limit reached.',
    });
    expect(parseFilter(`${'not '.repeat(filterDepthMax)}A`)).toBeDefined();
    expect(rejectionOfFilter(`${'not '.repeat(filterDepthMax + 1)}A`).code).toBe('InvalidInput');
    expect(rejectionOfFilter(`${'not('.repeat(filterDepthMax)}A`).code).toBe('InvalidInput');
    expect(parseFilter(Array(1000).fill('not (A eq 1)').join(' and '))).toBeDefined();
    expect(parseFilter(`A eq '${'('.repeat(1000)}'`)).toBeDefined();
  });
});

describe('parseFilter with a filter that is not valid or not implemented', () => {
  it.each([
    ["'a' and true", 'Edm.String', 'Edm.Boolean', 'And'],
    ['true and 1', 'Edm.Boolean', 'Edm.Int32', 'And'],
    ["A eq 1 or B or 'x'", 'Edm.Boolean', 'Edm.String', 'Or'],
    ["1L or 'x'", 'Edm.Int64', 'Edm.String', 'Or'],
    ["(PartitionKey ) and (RowKey ge '000050')", 'Edm.String', 'Edm.Boolean', 'And'],
    ['Timestamp and b', 'Edm.DateTime', '<null>', 'And'],
    ['b and Timestamp', '<null>', 'Edm.DateTime', 'And'],
    ['RowKey or PartitionKey', 'Edm.String', 'Edm.String', 'Or'],
    ["a and b and 'x'", '<null>', 'Edm.String', 'And'],
    ['a and b eq 1 and RowKey', 'Edm.Boolean', 'Edm.String', 'And'],
    ['not a or RowKey', '<null>', 'Edm.String', 'Or'],
    ['a eq 1 or (b and 5)', '<null>', 'Edm.Int32', 'And'],
    ["startswith(A,'x') and true and 'a'", 'Edm.Boolean', 'Edm.String', 'And'],
  ])('rejects incompatible types in %s', (text, left, right, operator) => {
    expect(rejectionOfFilter(text)).toEqual({
      code: 'InvalidInput',
      message:
        'A binary operator with incompatible types was detected. ' +
        `Found operand types '${left}' and '${right}' for operator kind '${operator}'.`,
    });
  });

  it.each(['null', 'not null', 'null and true'])('rejects %s, which is not boolean', (text) => {
    expect(rejectionOfFilter(text)).toEqual({
      code: 'InvalidInput',
      message: 'One of the request inputs is not valid.',
    });
  });

  it.each([
    ["not 'a'", 'Edm.String'],
    ['not 5', 'Edm.Int32'],
    ['not PartitionKey', 'Edm.String'],
    ['not (RowKey)', 'Edm.String'],
    ['not Timestamp', 'Edm.DateTime'],
  ])('rejects %s, because only a boolean can be negated', (text, type) => {
    expect(rejectionOfFilter(text)).toEqual({
      code: 'InvalidInput',
      message: `A unary operator with an incompatible type was detected. Found operand type '${type}' for operator kind 'Not'.`,
    });
  });

  it.each(["'a'", '5', 'PartitionKey', '(RowKey)', 'Timestamp'])('rejects %s as a whole filter', (text) => {
    expect(rejectionOfFilter(text)).toEqual({
      code: 'InvalidInput',
      message: 'The $filter expression must evaluate to a single boolean value.',
    });
  });

  it.each(['timestamp', 'partitionkey', 'TableName', 'not rowkey', 'a and b', 'constructor', 'not toString'])(
    'accepts %s, because an open property may be boolean',
    (text) => {
      expect(parseFilter(text)).toBeDefined();
    },
  );

  it('declares only TableName in a filter of tables', () => {
    const rejection = 'The $filter expression must evaluate to a single boolean value.';
    expect(rejectionOf(() => parseFilter('TableName', declaredOfTable)).message).toBe(rejection);
    expect(parseFilter('PartitionKey', declaredOfTable)).toEqual({ kind: 'property', name: 'PartitionKey' });
  });

  it.each([
    ["'a' and true and X eq guid'zz'", "Unrecognized 'Edm.Guid' literal 'guid'zz''"],
    ["A eq B and X eq guid'zz'", "Unrecognized 'Edm.Guid' literal 'guid'zz''"],
    ["A eq B and 'a'", 'A binary operator with incompatible types was detected.'],
    ["startswith(A,'x') or PartitionKey or true", 'A binary operator with incompatible types was detected.'],
    ['A eq not 5', 'A unary operator with an incompatible type was detected.'],
    ['(not 5) eq 1', 'A unary operator with an incompatible type was detected.'],
    ['A add 1 eq 2 and foo(A)', "An unknown function with name 'foo' was found."],
    ['A eq null and 5', 'One of the request inputs is not valid.'],
    ['not 5 and null', 'A unary operator with an incompatible type was detected.'],
  ])('reports the fault in %s that the service finds first', (text, message) => {
    expect(rejectionOfFilter(text).code).toBe('InvalidInput');
    expect(rejectionOfFilter(text).message).toContain(message);
  });

  it.each(['X eq null', 'X ne null', 'null eq X'])('rejects %s', (text) => {
    expect(rejectionOfFilter(text)).toEqual({
      code: 'InvalidInput',
      message: 'One of the request inputs is not valid.',
    });
  });

  it.each([
    ['lt', 'LessThan'],
    ['le', 'LessThanOrEqual'],
    ['gt', 'GreaterThan'],
    ['ge', 'GreaterThanOrEqual'],
  ])('rejects X %s null', (operator, kind) => {
    expect(rejectionOfFilter(`X ${operator} null`)).toEqual({
      code: 'InvalidInput',
      message: `The operator '${kind}' is not supported for the 'null' literal; only equality checks are supported.`,
    });
  });

  it.each([
    'A eq B',
    '1 eq 1',
    "'a' eq 'a'",
    '(A eq 1) eq true',
    "startswith(A,'x')",
    "startswith(A,'x') eq true",
    "substringof('x',A) and B eq 1",
    'length(tolower(A)) gt 3',
    'year(A) eq 2020',
    'A add 1 eq 2',
    'A mod 2 eq 0',
    '-A eq 1',
    'A eq -(1)',
    'A add 1',
    'not (A add 1) or -B',
    'filter eq not valid',
    'A eq not true',
    'A eq not (B eq 1)',
    'A eq not not B',
    'A eq -not B',
    'A add not B',
    'A eq 1 and not B eq not C',
  ])('rejects %s with NotImplemented', (text) => {
    expect(rejectionOfFilter(text)).toEqual({
      code: 'NotImplemented',
      message: 'The requested operation is not implemented on the specified resource.',
    });
  });

  it.each(['levenshtein(A,B)', 'StartsWith(A)', 'A eq f()'])('rejects the unknown function in %s', (text) => {
    expect(rejectionOfFilter(text).code).toBe('InvalidInput');
  });
});
