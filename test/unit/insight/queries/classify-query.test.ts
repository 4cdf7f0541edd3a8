import { describe, expect, it } from 'vitest';
import { classifyQuery } from '../../../../src/insight/queries/classify-query.js';
import { writeQueryShape, writeShape } from '../../../../src/insight/queries/write-shape.js';
import { parseFilter } from '../../../../src/query/filter/parse-filter.js';

describe('The class of a query', () => {
  it.each([
    // The examples of the guide.
    ["(PartitionKey eq 'Sales') and (RowKey eq '2')", 'point', []],
    ["PartitionKey eq 'Sales' and RowKey ge 'S' and RowKey lt 'T'", 'row-range', []],
    ["PartitionKey eq 'Sales' and LastName eq 'Smith'", 'partition-scan', ['residual']],
    ["LastName eq 'Jones'", 'table-scan', ['properties-only']],
    ["PartitionKey eq 'Sales' and (RowKey eq '121' or RowKey eq '322')", 'partition-scan', ['or-keys']],
    // The same rules in other forms.
    ['', 'table-scan', ['unfiltered']],
    ["RowKey eq '2'", 'table-scan', ['rowkey-only']],
    ["RowKey eq '2' and Age gt 5", 'table-scan', ['rowkey-only']],
    ["Timestamp gt datetime'2020-01-01T00:00:00Z'", 'table-scan', ['timestamp-only']],
    ["PartitionKey eq 'p' and Timestamp gt datetime'2020-01-01T00:00:00Z'", 'partition-scan', ['residual']],
    ["PartitionKey ge 'a' and PartitionKey lt 'b'", 'partition-range', []],
    ["PartitionKey ge 'a' and RowKey eq 'x'", 'partition-range', ['residual']],
    ["PartitionKey ge 'a' and PartitionKey le 'a' and RowKey eq 'r'", 'point', []],
    ["PartitionKey eq 'a' or PartitionKey eq 'b'", 'table-scan', ['or-keys']],
    ["PartitionKey eq 'a' and RowKey eq '1' or PartitionKey eq 'a' and RowKey eq '2'", 'partition-scan', ['or-keys']],
    // One half reads as much as the whole query, so sending the halves one by one helps nothing.
    ["PartitionKey eq 'a' or Age gt 5", 'table-scan', []],
    ["PartitionKey eq 'a' and RowKey eq '1' or RowKey eq '2'", 'table-scan', []],
    ["RowKey eq '1' or RowKey eq '2'", 'table-scan', ['rowkey-only']],
    ["PartitionKey eq 'a' and (RowKey eq '1' or Age gt 5)", 'partition-scan', ['residual']],
    ["PartitionKey ge 'a' and (RowKey eq '1' or RowKey eq '2')", 'partition-range', ['residual']],
    ["PartitionKey ge 'a' and (PartitionKey eq 'a' or PartitionKey eq 'b')", 'partition-range', ['or-keys']],
    ["PartitionKey ge 'a' or PartitionKey eq 'A' and RowKey eq '1'", 'table-scan', ['or-keys']],
    ["PartitionKey eq 'p' and RowKey ge 'a' and (Age gt 5 or Age lt 2)", 'row-range', []],
    ["PartitionKey eq 'p' and RowKey ge 'a' and (RowKey eq 'b' or Age lt 2)", 'partition-scan', ['or-keys']],
    ["PartitionKey eq 'p' and RowKey ne 'a'", 'partition-scan', ['ne-keys']],
    ["PartitionKey eq 'p' and not (RowKey eq 'a')", 'partition-scan', ['not-keys']],
    ["PartitionKey eq 'p' and not Active", 'partition-scan', ['residual']],
    ["PartitionKey eq 'a' and PartitionKey eq 'b'", 'none', []],
    ["PartitionKey eq 'a' and (false or RowKey eq 'r')", 'point', []],
    ['PartitionKey eq 1', 'none', ['key-type']],
    ['false', 'none', []],
    ['true', 'table-scan', []],
  ])('of %s is %s with the flags %j', (text, name, flags) => {
    const found = classifyQuery(parseFilter(text));
    expect([found.class, found.flags]).toEqual([name, flags]);
  });

  it('has the range that the cloud reads for keys joined by or, which this server does not read', () => {
    const { reads } = classifyQuery(parseFilter("PartitionKey eq 'p' and (RowKey eq 'a' or RowKey eq 'z')"));
    expect(reads).toEqual({ from: { partitionKey: 'p', side: 'before' }, to: { partitionKey: 'p', side: 'after' } });
  });
});

describe('The shape of a filter', () => {
  it.each([
    ["PartitionKey eq 'secret' and Age gt 5", 'PartitionKey eq ? and Age gt ?Int32'],
    ['A eq 1L or (B eq true and not (C lt 1.5))', 'A eq ?Int64 or (B eq ?Boolean and not C lt ?Double)'],
    ["RowKey eq 'a' or RowKey eq 'b' or RowKey eq 'c'", 'RowKey eq ?…'],
    ['Active', 'Active'],
    ['', ''],
  ])('of %s is %s', (text, shape) => {
    expect(writeShape(parseFilter(text))).toBe(shape);
  });

  it('is the same for chains of different lengths, and short for a long filter', () => {
    const chain = (count: number) =>
      parseFilter(Array.from({ length: count }, (_, at) => `RowKey eq '${at}'`).join(' or '));
    expect(writeShape(chain(2))).toBe(writeShape(chain(200)));
    const wide = Array.from({ length: 200 }, (_, at) => `P${at} eq 1`).join(' and ');
    expect(writeShape(parseFilter(wide)).length).toBeLessThanOrEqual(512);
  });

  it('of a query has the table, the projection and whether it takes a page', () => {
    const filter = parseFilter("PartitionKey eq 'p'");
    expect(writeQueryShape('People', filter, { select: 'Name', rowsMax: 10 })).toBe(
      'people where PartitionKey eq ? select Name top',
    );
    expect(writeQueryShape('People', undefined, { rowsMax: 1 })).toBe('people top 1');
  });
});
