import { expect, it } from 'vitest';
import { rewriteFilter } from '../../../../src/insight/queries/rewrite-filter.js';
import type { Filter } from '../../../../src/query/filter/filter.js';
import { parseFilter } from '../../../../src/query/filter/parse-filter.js';

it.each([
  [
    "PartitionKey eq 'p' and (RowKey eq 'a' or RowKey eq 'b')",
    ["PartitionKey eq 'p' and RowKey eq 'a'", "PartitionKey eq 'p' and RowKey eq 'b'"],
  ],
  ["PartitionKey eq 'a' or PartitionKey eq 'b'", ["PartitionKey eq 'a'", "PartitionKey eq 'b'"]],
  [
    "PartitionKey eq 'p' and RowKey ne 'O''Hara' and Age gt 5L",
    [
      "PartitionKey eq 'p' and RowKey lt 'O''Hara' and Age gt 5L",
      "PartitionKey eq 'p' and RowKey gt 'O''Hara' and Age gt 5L",
    ],
  ],
  ["not (PartitionKey eq 'p')", ["PartitionKey lt 'p'", "PartitionKey gt 'p'"]],
  [
    "not (PartitionKey lt 'a' or PartitionKey eq 'b') and not Active",
    [
      "PartitionKey ge 'a' and PartitionKey lt 'b' and (not Active)",
      "PartitionKey ge 'a' and PartitionKey gt 'b' and (not Active)",
    ],
  ],
  // What needs another key, or is as good as it can be.
  ["RowKey eq 'a' or RowKey eq 'b'", []],
  ["PartitionKey eq 'a' or Age gt 5", []],
  ["PartitionKey eq 'p' and (A eq 1 or A eq 2)", []],
  ["PartitionKey eq 'p'", []],
  ["Name eq 'x'", []],
  [Array.from({ length: 9 }, (_, at) => `PartitionKey eq '${at}'`).join(' or '), []],
])('The filter %s is better sent as %j', (text, better) => {
  expect(rewriteFilter(parseFilter(text) as Filter)).toEqual(better);
});
