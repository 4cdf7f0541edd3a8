import type { EntityText } from '../entity/entity.js';
import { propertyReader, readValues, type StoredValue } from '../entity/read-property.js';
import { compileFilter, type RowTest } from './evaluate-filter.js';
import type { Filter } from './filter.js';

/**
 * Maximum number of properties to search for one by one. For more, it is faster to read the whole row.
 * Source: docs/benchmarks.md.
 */
const searchedMax = 8;

/** Returns the names of all properties that a filter compares. */
export function propertiesOf(filter: Filter): ReadonlySet<string> {
  const names = new Set<string>();
  addProperties(filter, names);
  return names;
}

function addProperties(filter: Filter, names: Set<string>): void {
  switch (filter.kind) {
    case 'and':
    case 'or':
      for (const operand of filter.operands) addProperties(operand, names);
      break;
    case 'not':
      addProperties(filter.operand, names);
      break;
    case 'comparison':
      names.add(filter.property);
      break;
    case 'property':
      names.add(filter.name);
      break;
    case 'constant':
  }
}

/**
 * Compiles a filter into a test of stored entities. For a filter with many properties, the test reads each entity once
 * as a whole, because searching a row of a megabyte for thousands of names would take seconds.
 */
export function compileTextTest(filter: Filter): RowTest<EntityText> {
  if (propertiesOf(filter).size <= searchedMax) return compileFilter(filter, propertyReader);
  const matches = compileFilter<ReadonlyMap<string, StoredValue>>(filter, (name) => (values) => values.get(name));
  return (text) => matches(readValues(text));
}
