import { describe, expect, it } from 'vitest';
import { indexedCosts, keyedCosts } from '../../../../src/insight/queries/cost-model.js';
import { parseFilter } from '../../../../src/query/filter/parse-filter.js';

// Source: cosmos 13.
describe('a service with an index of every property', () => {
  it.each([
    ["PartitionKey eq 'p' and RowKey eq 'r'", 'point'],
    ["PartitionKey eq 'p' and RowKey gt 'r'", 'one-partition'],
    ["PartitionKey eq 'p' and Age gt 5", 'one-partition'],
    ["PartitionKey gt 'p'", 'cross-partition'],
    ["RowKey eq 'r'", 'cross-partition'],
    ['Age gt 5', 'cross-partition'],
    ["PartitionKey eq 'a' or PartitionKey eq 'b'", 'cross-partition'],
    ['PartitionKey eq 5', 'none'],
  ])('classifies %s as %s, and finds no fault of keys', (text, name) => {
    const filter = parseFilter(text);

    expect(indexedCosts.classify(filter)).toMatchObject({ class: name, flags: [] });
  });

  it('says what a query without a filter asks', () => {
    expect(indexedCosts.classify(undefined)).toMatchObject({
      class: 'cross-partition',
      flags: ['unfiltered'],
    });
  });

  it('counts no comparisons, of which it documents no limit', () => {
    const filter = parseFilter('A eq 1 and B eq 2');
    expect([filter && indexedCosts.countComparisons(filter), filter && keyedCosts.countComparisons(filter)]).toEqual([
      0, 2,
    ]);
  });
});
