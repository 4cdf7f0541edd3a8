import type { Filter } from './filter.js';

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
