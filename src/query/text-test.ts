import type { EntityText } from '../entity/entity.js';
import { propertyReader, readValues, type StoredValue } from '../entity/read-property.js';
import { compileFilter, type RowTest } from './evaluate-filter.js';
import type { Filter } from './filter.js';

/** Up to so many properties are searched for one by one, which for few is faster than reading all of a row. Source: measurements. */
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
 * Compiles a filter into a test of stored entities. With many properties each entity is read once as a whole: to search
 * for thousands of names in a row of a megabyte would take seconds.
 */
export function compileTextTest(filter: Filter): RowTest<EntityText> {
  if (propertiesOf(filter).size <= searchedMax) return compileFilter(filter, propertyReader);
  const matches = compileFilter<ReadonlyMap<string, StoredValue>>(filter, (name) => (values) => values.get(name));
  return (text) => matches(readValues(text));
}
