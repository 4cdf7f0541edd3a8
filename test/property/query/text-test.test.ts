import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Property, writeEntityText } from '../../../src/entity/stored/entity.js';
import { propertyReader } from '../../../src/entity/stored/read-property.js';
import { compileFilter, compileTextTest } from '../../../src/query/filter/evaluate-filter.js';
import { propertiesOf } from '../../../src/query/filter/filter.js';
import { bareFilter, comparisonOf, filterOver, literal } from '../../support/arbitrary/arbitrary-filter.js';
import { runs } from '../../support/arbitrary/property-runs.js';

const names = [...Array.from({ length: 20 }, (_, at) => `P${at}`), 'PartitionKey', 'RowKey', 'Timestamp'];
const name = fc.constantFrom(...names);
const filter = filterOver(fc.oneof(comparisonOf(name, literal), bareFilter(name)));
const chain = fc.record({
  kind: fc.constantFrom('and' as const, 'or' as const),
  operands: fc.array(filter, { minLength: 2, maxLength: 15 }),
});
const property = fc.record({ name, number: fc.nat(3) }).map(({ name: own, number }): Property => {
  return { name: own, type: 'Edm.Int32', json: String(number), valueBytes: 4 };
});
const properties = fc.uniqueArray(
  property.filter((one) => one.name.startsWith('P') && one.name !== 'PartitionKey'),
  { selector: (one) => one.name },
);

it('A filter over many properties finds the same rows as separate searches for each property', () => {
  let many = 0;
  fc.assert(
    fc.property(chain, properties, (asked, list) => {
      const text = writeEntityText({ partitionKey: 'p', rowKey: 'r' }, '2020-01-01T00:00:00Z', list);
      expect(compileTextTest(asked)(text)).toBe(compileFilter(asked, propertyReader)(text));
      if (propertiesOf(asked).size > 8) many++;
    }),
    { numRuns: runs(1000) },
  );
  expect(many).toBeGreaterThan(100);
});
