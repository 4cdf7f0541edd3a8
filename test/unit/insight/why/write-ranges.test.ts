import { describe, expect, it } from 'vitest';
import { writeRanges } from '../../../../src/insight/why/filter/judge-filter.js';
import { parseFilter } from '../../../../src/query/filter/parse-filter.js';

describe('The ranges of a filter, for people', () => {
  it.each([
    ['', ['the whole table']],
    ['Size gt 1', ['the whole table']],
    ["PartitionKey eq 'p'", ["PartitionKey = 'p'"]],
    ["PartitionKey eq 'O''Hara' and RowKey eq 'r'", ["PartitionKey = 'O''Hara', RowKey = 'r'"]],
    ["PartitionKey eq 'p' and RowKey ge 'a' and RowKey lt 'b'", ["PartitionKey = 'p', RowKey >= 'a', RowKey < 'b'"]],
    ["PartitionKey eq 'p' and RowKey gt 'a'", ["PartitionKey = 'p', RowKey > 'a'"]],
    ["PartitionKey gt 'a' and PartitionKey le 'b'", ["PartitionKey > 'a', PartitionKey <= 'b'"]],
    ["PartitionKey eq 'a' or PartitionKey eq 'b'", ["PartitionKey = 'a'", "PartitionKey = 'b'"]],
    ["PartitionKey eq 'a' and PartitionKey eq 'b'", []],
  ])('%s', (filter, ranges) => {
    expect(writeRanges(parseFilter(filter))).toEqual(ranges);
  });

  it('says how many more there are after twenty', () => {
    const keys = Array.from({ length: 23 }, (_, at) => `PartitionKey eq '${String(at).padStart(2, '0')}'`);
    const written = writeRanges(parseFilter(keys.join(' or ')));
    expect(written).toHaveLength(21);
    expect(written.at(-1)).toBe('and 3 more');
  });
});
