import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyQuery } from '../../../src/insight/queries/classify-query.js';
import { queryClassNames } from '../../../src/insight/queries/query-classes.js';
import { rewriteFilter } from '../../../src/insight/queries/rewrite-filter.js';
import { shapeUnitsMax, writeShape } from '../../../src/insight/queries/write-shape.js';
import type { Filter, Literal } from '../../../src/query/filter/filter.js';
import { isWithin } from '../../../src/query/plan/key-ranges.js';
import { planFilter } from '../../../src/query/plan/plan-query.js';
import { anyFilter, bareFilter, comparisonOf, filterOver } from '../../support/arbitrary/arbitrary-filter.js';
import { runs } from '../../support/arbitrary/property-runs.js';

const keys = ['', 'a', 'a!', 'b', '\uffff'];
const stringLiteral: fc.Arbitrary<Literal> = fc.record({
  type: fc.constant('Edm.String' as const),
  value: fc.constantFrom(...keys),
});
const keyLiteral: fc.Arbitrary<Literal> = fc.oneof(
  { weight: 9, arbitrary: stringLiteral },
  { weight: 1, arbitrary: fc.constant<Literal>({ type: 'Edm.Int32', value: '1' }) },
);
const filters = filterOver(
  fc.oneof(
    { weight: 8, arbitrary: comparisonOf(fc.constantFrom('PartitionKey', 'RowKey'), keyLiteral) },
    { weight: 2, arbitrary: bareFilter(fc.constant('Value')) },
  ),
);
const places = keys.flatMap((partitionKey) => keys.map((rowKey) => ({ partitionKey, rowKey })));

/** The places that the cloud reads for a filter. */
function readByCloud(filter: Filter) {
  const found = classifyQuery(filter);
  if (found.class === 'none') return [];
  return places.filter(({ partitionKey, rowKey }) => isWithin(found.reads, partitionKey, rowKey));
}

describe('the class of a query', () => {
  it('reads, for every filter, at least what our plan reads', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        const { ranges } = planFilter(filter);
        const planned = places.filter(({ partitionKey, rowKey }) =>
          ranges.some((range) => isWithin(range, partitionKey, rowKey)),
        );
        // The planner leaves some unions to the test of rows, so only rows that may match count here.
        const cloud = readByCloud(filter);
        const missing = planned.filter((place) => !cloud.includes(place));
        for (const { partitionKey, rowKey } of missing) {
          expect(mayMatch(filter, partitionKey, rowKey)).toBe(false);
        }
      }),
      { numRuns: runs(1500) },
    );
  });

  it('says point only of one place, and table scan only of all', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        const { class: name, reads } = classifyQuery(filter);
        if (name === 'point') {
          expect(reads?.from?.partitionKey).toBe(reads?.to?.partitionKey);
          // The empty key is the first of its partition, so its range has no row at that end.
          expect(reads?.from?.rowKey ?? '').toBe(reads?.to?.rowKey);
        }
        expect(name === 'table-scan').toBe(reads !== undefined && !reads.from && !reads.to);
      }),
      { numRuns: runs(1500) },
    );
  });

  it('never becomes worse by one more condition, unless that joins keys by or', () => {
    const rank = (filter: Filter) => queryClassNames.indexOf(classifyQuery(filter).class);
    fc.assert(
      fc.property(filters, filters, (a, b) => {
        const both: Filter = { kind: 'and', operands: [a, b] };
        fc.pre(!classifyQuery(both).flags.includes('or-keys'));
        expect(rank(both)).toBeLessThanOrEqual(rank(a));
      }),
      { numRuns: runs(1500) },
    );
  });

  it('names keys joined by or only where separate queries read less', () => {
    const condition = fc.oneof(
      { weight: 4, arbitrary: comparisonOf(fc.constantFrom('PartitionKey', 'RowKey'), stringLiteral) },
      { weight: 1, arbitrary: fc.constant<Filter>({ kind: 'property', name: 'Value' }) },
    );
    const all = (minLength: number) =>
      fc.array(condition, { minLength, maxLength: 2 }).map((operands): Filter => ({ kind: 'and', operands }));
    const any = fc.array(all(1), { minLength: 2, maxLength: 3 }).map((operands): Filter => ({ kind: 'or', operands }));
    fc.assert(
      fc.property(all(0), any, (outer, inner) => {
        const filter: Filter = { kind: 'and', operands: [...(outer.kind === 'and' ? outer.operands : []), inner] };
        const { flags } = classifyQuery(filter);
        fc.pre(flags.includes('or-keys') && !flags.includes('ne-keys'));
        expect(rewriteFilter(filter).length).toBeGreaterThan(1);
      }),
      { numRuns: runs(1500) },
    );
  });
});

describe('the shape of a filter', () => {
  it('is bounded, and contains no string of the filter', () => {
    const secret = fc.record({ type: fc.constant('Edm.String' as const), value: fc.constant('s3cret') });
    const withSecret = filterOver(comparisonOf(fc.constantFrom('A', 'PartitionKey'), secret));
    fc.assert(fc.property(withSecret, (filter) => !writeShape(filter).includes('s3cret')));
    fc.assert(fc.property(anyFilter, (filter) => writeShape(filter).length <= shapeUnitsMax));
  });
});

/** Whether a row with these keys satisfies the conditions on keys; conditions on properties count as satisfied. */
function mayMatch(filter: Filter, partitionKey: string, rowKey: string): boolean {
  const holds = (node: Filter): boolean | undefined => {
    switch (node.kind) {
      case 'and': {
        const all = node.operands.map(holds);
        return all.includes(false) ? false : all.includes(undefined) ? undefined : true;
      }
      case 'or': {
        const any = node.operands.map(holds);
        return any.includes(true) ? true : any.includes(undefined) ? undefined : false;
      }
      case 'not': {
        const inner = holds(node.operand);
        return inner === undefined ? undefined : !inner;
      }
      case 'constant':
        return node.value;
      case 'property':
        return undefined;
      case 'comparison': {
        const { operator, literal } = node;
        if (literal.type !== 'Edm.String') return operator === 'ne' || operator === 'lt' || operator === 'le';
        const key = node.property === 'PartitionKey' ? partitionKey : rowKey;
        const { value } = literal;
        if (operator === 'eq') return key === value;
        if (operator === 'ne') return key !== value;
        if (operator === 'gt') return key > value;
        if (operator === 'ge') return key >= value;
        return operator === 'lt' ? key < value : key <= value;
      }
    }
  };
  return holds(filter) !== false;
}
