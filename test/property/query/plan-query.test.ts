import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EntityKey, writeEntityText } from '../../../src/entity/stored/entity.js';
import { propertyReader } from '../../../src/entity/stored/read-property.js';
import { compileFilter } from '../../../src/query/filter/evaluate-filter.js';
import type { Filter, Literal } from '../../../src/query/filter/filter.js';
import { compareCuts } from '../../../src/query/plan/key-ranges.js';
import type { KeyCut, KeyRange } from '../../../src/query/plan/plan.js';
import { planFilter, planQuery } from '../../../src/query/plan/plan-query.js';
import { bareFilter, comparisonOf, filterOver } from '../../support/arbitrary/arbitrary-filter.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import { testOf } from '../../support/arbitrary/row-test.js';

// Code unit order and code point order differ above U+FFFF: U+10000 begins with 0xD800, which is below U+E000.
const keys = ['', 'a', 'a!', 'aa', 'b', '\ud800', '\u{10000}', '\ue000', '\uffff'];

const key = fc.constantFrom(...keys);
const keyLiteral: fc.Arbitrary<Literal> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ type: fc.constant('Edm.String' as const), value: key }) },
  { weight: 1, arbitrary: fc.constant<Literal>({ type: 'Edm.Int32', value: '1' }) },
);
const valueLiteral = fc.record({ type: fc.constant('Edm.Int32' as const), value: fc.constantFrom('0', '1') });

const filters = filterOver(
  fc.oneof(
    { weight: 8, arbitrary: comparisonOf(fc.constantFrom('PartitionKey', 'RowKey'), keyLiteral) },
    { weight: 2, arbitrary: comparisonOf(fc.constantFrom('Value', 'Missing'), valueLiteral) },
    { weight: 1, arbitrary: bareFilter(fc.constantFrom('Value', 'PartitionKey')) },
  ),
);

/** A table with a row for every pair of the keys. */
const rows = keys.flatMap((partitionKey) =>
  keys.map((rowKey, at) => {
    const value = { name: 'Value', type: 'Edm.Int32', json: String(at % 2), valueBytes: 4 } as const;
    return { partitionKey, rowKey, text: writeEntityText({ partitionKey, rowKey }, '2020-01-01T00:00:00Z', [value]) };
  }),
);

function isAfter(cut: KeyCut, row: EntityKey): boolean {
  if (row.partitionKey !== cut.partitionKey) return row.partitionKey > cut.partitionKey;
  if (cut.rowKey === undefined || row.rowKey === cut.rowKey) return cut.side === 'before';
  return row.rowKey > cut.rowKey;
}

function isWithin(ranges: readonly KeyRange[], row: EntityKey): boolean {
  return ranges.some(({ from, to }) => (!from || isAfter(from, row)) && (!to || !isAfter(to, row)));
}

const keysOf = (found: readonly EntityKey[]) => found.map(({ partitionKey, rowKey }) => [partitionKey, rowKey]);

describe('planning', () => {
  it('finds, for every filter, the rows that a full scan finds', () => {
    fc.assert(
      fc.property(filters, (filter: Filter) => {
        const plan = planQuery(filter, { rowsMax: 1000 });
        const { ranges } = plan;
        const matches = testOf(plan);
        const planned = rows.filter((row) => isWithin(ranges, row) && matches(row.text));
        const scan = compileFilter(filter, propertyReader);
        expect(keysOf(planned)).toEqual(keysOf(rows.filter(({ text }) => scan(text))));
      }),
      { numRuns: runs(1500) },
    );
  });

  it('makes ranges that are disjoint, ascending and not empty', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        const { ranges } = planFilter(filter);
        ranges.forEach(({ from, to }, at) => {
          if (from && to) expect(compareCuts(from, to)).toBeLessThan(0);
          if (at === 0) return;
          const previous = ranges[at - 1]?.to;
          expect(previous && from && compareCuts(previous, from)).toBeLessThan(0);
        });
      }),
      { numRuns: runs(1500) },
    );
  });

  it('continues, from every key, with the rows at and after it, and stays within the range of the caller', () => {
    fc.assert(
      fc.property(filters, key, key, key, key, (filter, partitionKey, rowKey, first, last) => {
        const startAt = { partitionKey, rowKey };
        const within: KeyRange = {
          from: { partitionKey: first, rowKey: last, side: 'after' },
          to: { partitionKey: last, side: 'after' },
        };
        const plan = planQuery(filter, { rowsMax: 1000, startAt, within });
        const { ranges } = plan;
        const matches = testOf(plan);
        const planned = rows.filter((row) => isWithin(ranges, row) && matches(row.text));
        const scan = compileFilter(filter, propertyReader);
        const expected = rows.filter(
          (row) => scan(row.text) && isAfter({ ...startAt, side: 'before' }, row) && isWithin([within], row),
        );
        expect(keysOf(planned)).toEqual(keysOf(expected));
      }),
      { numRuns: runs(1500) },
    );
  });
});
