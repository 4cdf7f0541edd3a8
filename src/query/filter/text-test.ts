import type { EntityText } from '../../entity/stored/entity.js';
import { propertyReader, readValues, type StoredValue } from '../../entity/stored/read-property.js';
import { compileFilter, type RowTest } from './evaluate-filter.js';
import type { Filter } from './filter.js';
import { propertiesOf } from './properties-of.js';

/**
 * Maximum number of properties to search for one by one. For more, it is faster to read the whole row.
 * Source: docs/benchmarks.md.
 */
const searchedMax = 8;

/**
 * Compiles a filter into a test of stored entities. For a filter with many properties, the test reads each entity once
 * as a whole, because searching a row of a megabyte for thousands of names would take seconds.
 */
export function compileTextTest(filter: Filter): RowTest<EntityText> {
  if (propertiesOf(filter).size <= searchedMax) return compileFilter(filter, propertyReader);
  const matches = compileFilter<ReadonlyMap<string, StoredValue>>(filter, (name) => (values) => values.get(name));
  return (text) => matches(readValues(text));
}
