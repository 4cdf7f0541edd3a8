import { describe, expect, it } from 'vitest';
import { writeEntityText } from '../../../src/entity/stored/entity.js';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';
import { planFilter, planQuery } from '../../../src/query/plan/plan-query.js';
import { printRange } from '../../support/answers/print-range.js';
import { testOf } from '../../support/arbitrary/row-test.js';

function plan(text: string): { ranges: readonly string[]; exact: boolean } {
  const { ranges, exact } = planFilter(parseFilter(text));
  return { ranges: ranges.map(printRange), exact };
}

describe('planFilter with comparisons that ranges express exactly', () => {
  it.each([
    ['', ['..']],
    ['true', ['..']],
    ['false', []],
    ["PartitionKey eq 'p' and RowKey eq 'r'", ['<p/r..p/r>']],
    ["PartitionKey eq 'p'", ['<p..p>']],
    ["'p' eq PartitionKey", ['<p..p>']],
    ["PartitionKey eq 'p' and RowKey ge 'a' and RowKey lt 'b'", ['<p/a..<p/b']],
    ["RowKey gt 'a' and PartitionKey eq 'p'", ['p/a>..p>']],
    ["PartitionKey eq 'p' and RowKey le 'b'", ['<p..p/b>']],
    ["PartitionKey ge 'a' and PartitionKey lt 'b'", ['<a..<b']],
    ["PartitionKey gt 'a'", ['a>..']],
    ["PartitionKey gt 'a' and PartitionKey ge 'a'", ['a>..']],
    ["PartitionKey ge 'a' and PartitionKey gt 'a'", ['a>..']],
    ["PartitionKey le 'a' and PartitionKey lt 'a'", ['..<a']],
    ["PartitionKey lt 'a' and PartitionKey le 'a'", ['..<a']],
    ["PartitionKey ge ''", ['..']],
    ["PartitionKey lt ''", []],
    ["PartitionKey eq ''", ['<..>']],
    ["PartitionKey ge 'p' and PartitionKey le 'p' and RowKey eq 'r'", ['<p/r..p/r>']],
    ["PartitionKey eq 'b' or PartitionKey eq 'a'", ['<a..a>', '<b..b>']],
    ["PartitionKey le 'a' or PartitionKey gt 'a'", ['..']],
    ["PartitionKey lt 'b' or PartitionKey lt 'a' or PartitionKey eq 'c'", ['..<b', '<c..c>']],
    ["PartitionKey eq 'p' and (RowKey eq 'b' or RowKey eq 'a')", ['<p/a..p/a>', '<p/b..p/b>']],
    ["PartitionKey eq 'p' and RowKey eq 'r' or PartitionKey eq 'q'", ['<p/r..p/r>', '<q..q>']],
    ['PartitionKey eq 5', []],
    ['PartitionKey gt 5 or RowKey ge 5', []],
    ['PartitionKey ne 5', ['..']],
    ['PartitionKey lt 5 and RowKey le true', ['..']],
    ["PartitionKey eq 'p' or true", ['..']],
    ['Value eq 5 or true', ['..']],
    ['Value eq 5 and false', []],
    ["PartitionKey eq 'a' and PartitionKey eq 'b' and Value eq 5", []],
    ["RowKey gt 'b' and RowKey lt 'a'", []],
  ])('plans %s as %j', (text, ranges) => {
    expect(plan(text)).toEqual({ ranges, exact: true });
  });
});

describe('planFilter with comparisons that need a residual filter', () => {
  it.each([
    ['Value eq 5', ['..']],
    ["RowKey eq 'r'", ['..']],
    ["RowKey eq 'r' or PartitionKey eq 'p'", ['..']],
    ["PartitionKey eq 'p' and Value eq 5", ['<p..p>']],
    ["PartitionKey gt 'a' and RowKey eq 'r'", ['a>..']],
    ["PartitionKey ne 'p'", ['..']],
    ["not (PartitionKey eq 'p')", ['..']],
    ["PartitionKey eq 'p' and RowKey ne 'r'", ['<p..p>']],
    ["PartitionKey eq 'p' or Value eq 5", ['..']],
    ["PartitionKey eq 'a' and X eq 1 or PartitionKey eq 'b' and X eq 2", ['<a..a>', '<b..b>']],
    ["PartitionKey eq 'a' and X eq 1 or PartitionKey eq 'b'", ['<a..a>', '<b..b>']],
    ["PartitionKey eq 'a' or PartitionKey eq 'b' and X", ['<a..a>', '<b..b>']],
    ["(PartitionKey eq 'a' or PartitionKey eq 'b') and RowKey gt 'r' and X", ['a/r>..a>', 'b/r>..b>']],
  ])('plans %s as %j', (text, ranges) => {
    expect(plan(text)).toEqual({ ranges, exact: false });
  });

  it('does not multiply long unions', () => {
    const union = (key: string) => Array.from({ length: 500 }, (_, n) => `${key} ge '${n}'`).join(' or ');
    const text = `(${union('PartitionKey')}) and (${union('RowKey')}) and (${union('RowKey')})`;
    expect(plan(text).exact).toBe(false);
    const points = Array.from({ length: 3000 }, (_, n) => `RowKey eq '${n}'`).join(' or ');
    expect(plan(`PartitionKey eq 'p' and (${points})`)).toMatchObject({ ranges: { length: 3000 }, exact: true });
  });
});

describe('the ranges of planFilter', () => {
  it('are cuts immediately before and after keys', () => {
    expect(planFilter(parseFilter("PartitionKey eq 'p'")).ranges).toEqual([
      { from: { partitionKey: 'p', side: 'before' }, to: { partitionKey: 'p', side: 'after' } },
    ]);
    expect(planFilter(parseFilter("PartitionKey eq 'p' and RowKey gt 'r'")).ranges).toEqual([
      { from: { partitionKey: 'p', rowKey: 'r', side: 'after' }, to: { partitionKey: 'p', side: 'after' } },
    ]);
    expect(planFilter(parseFilter("PartitionKey gt 'p'")).ranges).toEqual([
      { from: { partitionKey: 'p', side: 'after' } },
    ]);
  });
});

describe('planQuery', () => {
  const text = (partitionKey: string, rowKey: string, json: string) =>
    writeEntityText({ partitionKey, rowKey }, '2020-01-01T00:00:00Z', [
      { name: 'Value', type: 'Edm.Int32', json, valueBytes: 4 },
    ]);

  it('keeps the filter only if not all rows of the ranges match', () => {
    expect(planQuery(parseFilter("PartitionKey eq 'p'"), { rowsMax: 5 })).toEqual({
      ranges: planFilter(parseFilter("PartitionKey eq 'p'")).ranges,
      rowsMax: 5,
    });
    const matches = testOf(planQuery(parseFilter("PartitionKey eq 'p' and Value eq 5"), { rowsMax: 5 }));
    expect(matches(text('p', 'r', '5'))).toBe(true);
    expect(matches(text('p', 'r', '6'))).toBe(false);
    expect(matches(text('q', 'r', '5'))).toBe(false);
  });

  it('reads only from the start key on and within the rows that the caller may see', () => {
    const plan = planQuery(parseFilter("PartitionKey eq 'a' or PartitionKey eq 'b' or PartitionKey eq 'c'"), {
      rowsMax: 1000,
      startAt: { partitionKey: 'b', rowKey: '5' },
      within: { to: { partitionKey: 'c', rowKey: '7', side: 'after' } },
    });
    expect(plan.ranges.map(printRange)).toEqual(['<b/5..b>', '<c..c/7>']);
    expect(plan.filter).toBeUndefined();
  });
});

describe('planQuery with a hostile filter', () => {
  const anyOf = (key: string, names: readonly string[]) =>
    `(${names.map((name) => `${key} eq '${name}'`).join(' or ')})`;
  const names = (count: number, start = '') => Array.from({ length: count }, (_, at) => `${start}${at}`);

  it('reads as many ranges as a chain of keys can name, and one range around them if there are more', () => {
    const rows = (count: number) => names(count).map((row) => `(PartitionKey eq 'p' and RowKey eq '${row}')`);
    expect(plan(rows(1000).join(' or '))).toMatchObject({ exact: true, ranges: { length: 1000 } });

    const square = (start: string) => `(${anyOf('PartitionKey', names(64, start))} and ${anyOf('RowKey', names(64))})`;
    expect(plan(square('a'))).toMatchObject({ exact: true, ranges: { length: 4096 } });
    expect(plan([square('b'), square('a'), square('c')].join(' or '))).toEqual({
      ranges: ['<a0..c9>'],
      exact: false,
    });
  });

  it('reads one range from the first partition on if the last of too many ranges has no end', () => {
    const points = names(4096).map((row) => `RowKey eq '${row}'`);
    expect(
      plan(`PartitionKey gt 'b' or PartitionKey eq 'a' and (${points.slice(0, 2048).join(' or ')})`).ranges,
    ).toHaveLength(2049);

    const square = (start: string) => `(${anyOf('PartitionKey', names(64, start))} and ${anyOf('RowKey', names(64))})`;
    expect(plan(`${square('a')} or PartitionKey ge 'b'`)).toEqual({ ranges: ['<a0..'], exact: false });
    expect(plan(`PartitionKey ge 'b' or ${square('a')}`)).toEqual({ ranges: ['<a0..'], exact: false });
  });

  it('reads 4096 ranges of a union, or of two unions that are intersected, and not more', () => {
    const product = (partitions: number, rows: number, start = '') =>
      `(${anyOf('PartitionKey', names(partitions, start))} and ${anyOf('RowKey', names(rows))})`;

    expect(plan(`${product(64, 32, 'a')} or ${product(64, 32, 'b')}`)).toMatchObject({
      exact: true,
      ranges: { length: 4096 },
    });
    expect(plan(`${product(64, 32, 'a')} or ${product(64, 32, 'b')} or PartitionKey eq 'c'`)).toEqual({
      ranges: ['<a0..c>'],
      exact: false,
    });
    expect(plan(product(64, 64))).toMatchObject({ exact: true, ranges: { length: 4096 } });
    expect(plan(product(65, 64))).toEqual({ ranges: ['..'], exact: false });
  });

  it('intersects the shortest unions first, wherever they are in the filter', () => {
    const [partitions, rows] = [anyOf('PartitionKey', names(100)), anyOf('RowKey', names(101))];
    for (const terms of [
      [partitions, rows, "PartitionKey eq '7'"],
      ["PartitionKey eq '7'", rows, partitions],
      [rows, "PartitionKey eq '7'", partitions],
    ]) {
      expect(plan(terms.join(' and '))).toMatchObject({ exact: true, ranges: { length: 101 } });
    }
  });

  it('stops intersecting when it has compared 65536 pairs', () => {
    const chain = (unions: number) =>
      Array(unions)
        .fill(anyOf('RowKey', names(64)))
        .join(' and ');

    expect(plan(`PartitionKey eq 'p' and ${chain(16)}`)).toMatchObject({ exact: true, ranges: { length: 64 } });
    expect(plan(`PartitionKey eq 'p' and ${chain(17)}`)).toMatchObject({ exact: false, ranges: { length: 64 } });
  });

  it('finds every row even if it stops intersecting', () => {
    const filter = parseFilter([...Array(40).fill(anyOf('RowKey', names(64))), "PartitionKey eq 'p'"].join(' and '));
    const plan = planQuery(filter, { rowsMax: 5 });
    const { ranges } = plan;
    const matches = testOf(plan);
    expect(ranges.map(printRange)).toContain('<p/7..p/7>');
    const row = (rowKey: string) => writeEntityText({ partitionKey: 'p', rowKey }, '2020-01-01T00:00:00Z', []);
    expect(matches(row('7'))).toBe(true);
    expect(matches(row('64'))).toBe(false);
  });
});
