import { describe, expect, it } from 'vitest';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';
import { comparison } from '../../support/answers/comparison.js';
import { rejectionOfFilter } from '../../support/answers/rejection-of-filter.js';

describe('parseFilter with recorded filters', () => {
  it.each([
    ["birthday eq datetime'1970-10-04T00:00:00.000000Z'", 'birthday', 'eq', 'Edm.DateTime', '1970-10-04T00:00:00Z'],
    ["date lt datetime'2019-07-10T19:00:00.000Z'", 'date', 'lt', 'Edm.DateTime', '2019-07-10T19:00:00Z'],
    ["RowKey lt '5'", 'RowKey', 'lt', 'Edm.String', '5'],
    ['Value le 5', 'Value', 'le', 'Edm.Int32', '5'],
    ['large_int eq 1099511627776L', 'large_int', 'eq', 'Edm.Int64', '1099511627776'],
    [
      "clsid eq guid'c9da6455-213d-42c9-9a79-3e9149a57833'",
      'clsid',
      'eq',
      'Edm.Guid',
      'c9da6455-213d-42c9-9a79-3e9149a57833',
    ],
    ["binary eq X'62696e617279'", 'binary', 'eq', 'Edm.Binary', '62696e617279'],
    ['ratio lt 4.1', 'ratio', 'lt', 'Edm.Double', '4.1'],
    ['age lt 40', 'age', 'lt', 'Edm.Int32', '40'],
    ["RowKey eq 'table@storage.com0123456789'", 'RowKey', 'eq', 'Edm.String', 'table@storage.com0123456789'],
  ] as const)('reads %s', (text, property, operator, type, value) => {
    expect(parseFilter(text)).toEqual(comparison(property, operator, type, value));
  });

  it.each([
    ["PartitionKey eq 'pk' and RowKey eq '+,$' and Chars eq '?''/!_^#'", ['pk', '+,$', "?'/!_^#"]],
    ["PartitionKey eq ':@' and RowKey eq '=& ' and Chars eq '?\"\\{}<>%'", [':@', '=& ', '?"\\{}<>%']],
    ["PartitionKey eq 'foo'' or RowKey eq ''bar2' and IsAdmin eq 'admin'", ["foo' or RowKey eq 'bar2", 'admin']],
    [`Address eq 'street1' and RowKey eq 'row-ô- -''''-"-%20-%27-rk1'`, ['street1', `row-ô- -''-"-%20-%27-rk1`]],
    [
      "TableName eq 'mytable0' or TableName eq 'mytable1' or TableName eq 'mytable2'",
      ['mytable0', 'mytable1', 'mytable2'],
    ],
    ["TableName ge 'zzza' and TableName lt 'zzzb'", ['zzza', 'zzzb']],
    ["married eq true and RowKey eq 'rk97e31758'", ['true', 'rk97e31758']],
  ])('reads the values of %s', (text, values) => {
    const filter = parseFilter(text);
    const operands = filter && 'operands' in filter ? filter.operands : [];
    expect(operands.map((operand) => (operand.kind === 'comparison' ? operand.literal.value : ''))).toEqual(values);
  });

  it('returns undefined for an empty or blank text', () => {
    expect(parseFilter('')).toBeUndefined();
    expect(parseFilter(' \t ')).toBeUndefined();
  });
});

describe('parseFilter with operators', () => {
  const [a, b, c] = ['A', 'B', 'C'].map((name) => comparison(name, 'eq', 'Edm.Int32', '1'));

  it('binds `and` tighter than `or`', () => {
    expect(parseFilter('A eq 1 or B eq 1 and C eq 1')).toEqual({
      kind: 'or',
      operands: [a, { kind: 'and', operands: [b, c] }],
    });
  });

  it('evaluates parentheses first, with and without blanks', () => {
    const expected = { kind: 'and', operands: [{ kind: 'or', operands: [a, b] }, c] };
    expect(parseFilter('(A eq 1 or B eq 1) and C eq 1')).toEqual(expected);
    expect(parseFilter(' ( A  eq\t1 or(B eq 1) )and(C eq 1) ')).toEqual(expected);
    expect(parseFilter('(A) eq (1)')).toEqual(a);
  });

  it('applies `not` to one comparison', () => {
    expect(parseFilter('not A eq 1 and B eq 1')).toEqual({ kind: 'and', operands: [{ kind: 'not', operand: a }, b] });
    expect(parseFilter('not(A eq 1)')).toEqual({ kind: 'not', operand: a });
  });

  it('accepts a property, `true` and `false` as filters', () => {
    expect(parseFilter('IsActive')).toEqual({ kind: 'property', name: 'IsActive' });
    expect(parseFilter('not IsActive')).toEqual({ kind: 'not', operand: { kind: 'property', name: 'IsActive' } });
    expect(parseFilter('true')).toEqual({ kind: 'constant', value: true });
    expect(parseFilter('false')).toEqual({ kind: 'constant', value: false });
  });

  it.each([
    ['5 gt A', 'lt'],
    ['5 ge A', 'le'],
    ['5 lt A', 'gt'],
    ['5 le A', 'ge'],
    ['5 eq A', 'eq'],
    ['5 ne A', 'ne'],
  ] as const)('mirrors %s to the operator %s', (text, operator) => {
    expect(parseFilter(text)).toEqual(comparison('A', operator, 'Edm.Int32', '5'));
  });

  it.each([
    'orders',
    'notes',
    'android',
    'trueish',
    'datetimeX',
    'guid',
    'X',
    'L',
    'binary',
    'INFO',
    '_x',
    'größe',
    '値',
    'Ⅷ',
    'é',
  ])('reads %s as the name of a property', (name) => {
    expect(parseFilter(`${name} eq 1`)).toEqual(comparison(name, 'eq', 'Edm.Int32', '1'));
    expect(parseFilter(name)).toEqual({ kind: 'property', name });
  });

  it.each(['and', 'or', 'eq', 'ne', 'lt', 'add', 'mod'])(
    'reads %s in the place of an operand as a property',
    (name) => {
      expect(parseFilter(`${name} eq 1 and 1 eq ${name}`)).toEqual({
        kind: 'and',
        operands: [comparison(name, 'eq', 'Edm.Int32', '1'), comparison(name, 'eq', 'Edm.Int32', '1')],
      });
    },
  );

  it('accepts 60 and 3,000 comparisons', () => {
    for (const count of [60, 3000]) {
      const filter = parseFilter(Array.from({ length: count }, (_, n) => `A eq ${n}`).join(' or '));
      expect(filter).toMatchObject({ kind: 'or', operands: { length: count } });
    }
  });
});

describe('parseFilter with literals', () => {
  it.each([
    ["'O''Brien'", 'Edm.String', "O'Brien"],
    ["''", 'Edm.String', ''],
    ["'a\\n'", 'Edm.String', 'a\\n'],
    ["'😀'", 'Edm.String', '😀'],
    ['true', 'Edm.Boolean', 'true'],
    ['2147483647', 'Edm.Int32', '2147483647'],
    ['-2147483648', 'Edm.Int32', '-2147483648'],
    ['007', 'Edm.Int32', '7'],
    ['-0', 'Edm.Int32', '0'],
    ['5L', 'Edm.Int64', '5'],
    ['-5l', 'Edm.Int64', '-5'],
    ['2147483648L', 'Edm.Int64', '2147483648'],
    [`${'0'.repeat(30)}5L`, 'Edm.Int64', '5'],
    [`-${'0'.repeat(30)}5L`, 'Edm.Int64', '-5'],
    [`${'0'.repeat(30)}L`, 'Edm.Int64', '0'],
    ['9223372036854775807L', 'Edm.Int64', '9223372036854775807'],
    ['-9223372036854775808L', 'Edm.Int64', '-9223372036854775808'],
    ['9223372036854775808D', 'Edm.Double', '9223372036854776000'],
    ['2147483648.0', 'Edm.Double', '2147483648'],
    ['00000000000000000002147483647', 'Edm.Int32', '2147483647'],
    ['1E+20', 'Edm.Double', '100000000000000000000'],
    ['1e-7', 'Edm.Double', '1e-7'],
    ['3d', 'Edm.Double', '3'],
    ['4.10D', 'Edm.Double', '4.1'],
    ['NaN', 'Edm.Double', 'NaN'],
    ['INF', 'Edm.Double', 'Infinity'],
    ['-INF', 'Edm.Double', '-Infinity'],
    ["datetime'2020-12-18T15:42:07'", 'Edm.DateTime', '2020-12-18T15:42:07Z'],
    ["datetime'2020-12-18T15:42:07+01:00'", 'Edm.DateTime', '2020-12-18T14:42:07Z'],
    ["guid'C9DA6455-213D-42C9-9A79-3E9149A57833'", 'Edm.Guid', 'c9da6455-213d-42c9-9a79-3e9149a57833'],
    ["binary'62AB'", 'Edm.Binary', '62ab'],
    ["x'62ab'", 'Edm.Binary', '62ab'],
    ["BINARY'62AB'", 'Edm.Binary', '62ab'],
    ["Binary'62AB'", 'Edm.Binary', '62ab'],
    ["GUID'c9da6455-213d-42c9-9a79-3e9149a57833'", 'Edm.Guid', 'c9da6455-213d-42c9-9a79-3e9149a57833'],
    ["Guid'C9DA6455-213D-42C9-9A79-3E9149A57833'", 'Edm.Guid', 'c9da6455-213d-42c9-9a79-3e9149a57833'],
    ["guid'{c9da6455-213d-42c9-9a79-3e9149a57833}'", 'Edm.Guid', 'c9da6455-213d-42c9-9a79-3e9149a57833'],
    ["guid'(C9da6455-213d-42c9-9a79-3e9149a57833)'", 'Edm.Guid', 'c9da6455-213d-42c9-9a79-3e9149a57833'],
    ["guid'C9da6455213d42c99a793e9149a57833'", 'Edm.Guid', 'c9da6455-213d-42c9-9a79-3e9149a57833'],
    ["DateTime'2020-12-18T15:42:07.1000000Z'", 'Edm.DateTime', '2020-12-18T15:42:07.1Z'],
    ["DATETIME'2020-12-18T15:42:07Z'", 'Edm.DateTime', '2020-12-18T15:42:07Z'],
    ["X''", 'Edm.Binary', ''],
  ] as const)('reads %s as %s', (text, type, value) => {
    expect(parseFilter(`A eq ${text}`)).toEqual(comparison('A', 'eq', type, value));
  });

  it.each([
    ["guid'zz'", 'Guid'],
    ["datetime'yesterday'", 'DateTime'],
    ["X'123'", 'Binary'],
    ["binary'xy'", 'Binary'],
    ['2147483648', 'Int32'],
    ['-2147483649', 'Int32'],
    ['1498179600055', 'Int32'],
    ['12222455555555155555', 'Int32'],
    ['9'.repeat(60), 'Int32'],
    ["GUID'zz'", 'Guid'],
    ["guid'{c9da6455213d42c99a793e9149a57833}'", 'Guid'],
    ["guid'{c9da6455-213d-42c9-9a79-3e9149a57833)'", 'Guid'],
    ["DateTime'2020-02-30'", 'DateTime'],
    ["BINARY'123'", 'Binary'],
    ['9223372036854775808L', 'Int64'],
    ['-9223372036854775809L', 'Int64'],
    [`${'9'.repeat(60)}L`, 'Int64'],
    ['1.5L', 'Int64'],
    ['5f', 'Single'],
    ['5M', 'Decimal'],
    ['1e999', 'Double'],
  ])('rejects %s, which is not a valid %s', (literal, type) => {
    expect(rejectionOfFilter(`A eq ${literal} or B`)).toEqual({
      code: 'InvalidInput',
      message: `Unrecognized 'Edm.${type}' literal '${literal}' at '5' in 'A eq ${literal} or B'.`,
    });
  });

  it('rejects a date before 1601 with OutOfRangeInput', () => {
    expect(rejectionOfFilter("A eq datetime'1600-12-31T23:59:59Z'").code).toBe('OutOfRangeInput');
  });
});
