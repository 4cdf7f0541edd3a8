import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rewriteFilter } from '../../../src/insight/queries/rewrite-filter.js';
import { compileFilter } from '../../../src/query/filter/evaluate-filter.js';
import type { Filter } from '../../../src/query/filter/filter.js';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';
import { bareFilter, comparisonOf, filterOver } from '../../support/arbitrary/arbitrary-filter.js';
import { runs } from '../../support/arbitrary/property-runs.js';

const keys = ['', 'a', 'b', "c'd"];
const keyLiteral = fc.record({ type: fc.constant('Edm.String' as const), value: fc.constantFrom(...keys) });
const filters = filterOver(
  fc.oneof(
    { weight: 8, arbitrary: comparisonOf(fc.constantFrom('PartitionKey', 'RowKey'), keyLiteral) },
    { weight: 2, arbitrary: bareFilter(fc.constant('Value')) },
  ),
);
const rows = keys.flatMap((partitionKey) =>
  keys.flatMap((rowKey) => [true, false].map((value) => ({ partitionKey, rowKey, value }))),
);

/** The rows that a filter finds. */
function rowsOf(filter: Filter) {
  const matches = compileFilter<(typeof rows)[number]>(filter, (name) => (row) => {
    if (name === 'Value') return { type: 'Edm.Boolean', json: String(row.value) };
    return { type: 'Edm.String', json: JSON.stringify(name === 'PartitionKey' ? row.partitionKey : row.rowKey) };
  });
  return rows.filter(matches);
}

it('The queries that take the place of one find, for every filter, the same entities together', () => {
  let rewritten = 0;
  fc.assert(
    fc.property(filters, (filter) => {
      const better = rewriteFilter(filter).map((text) => parseFilter(text) as Filter);
      if (better.length === 0) return;
      rewritten++;
      const found = new Set(better.flatMap(rowsOf));
      expect(rows.filter((row) => found.has(row))).toEqual(rowsOf(filter));
    }),
    { numRuns: runs(1500) },
  );
  expect(rewritten).toBeGreaterThan(10);
});
