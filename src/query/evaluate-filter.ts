import type { StoredValue } from '../entity/read-property.js';
import type { Filter } from './filter.js';
import { valueTest } from './value-test.js';

/** Whether a row matches a filter. */
export type RowTest<Row> = (row: Row) => boolean;

/** Makes, for the name of a property, a reader of its value in a row: undefined where the row lacks it. */
export type ReaderOf<Row> = (name: string) => (row: Row) => StoredValue | undefined;

/**
 * Compiles a filter into a test of rows, once per query; it runs for every row in range.
 *
 * A comparison with a property the row lacks is false, `ne` too, and `not` then makes it true.
 * Source: queries, sections 2, 4 and 5.
 */
export function compileFilter<Row>(filter: Filter, readerOf: ReaderOf<Row>): RowTest<Row> {
  switch (filter.kind) {
    case 'and':
      return allOf(filter.operands.map((operand) => compileFilter(operand, readerOf)));
    case 'or':
      return anyOf(filter.operands.map((operand) => compileFilter(operand, readerOf)));
    case 'not': {
      const matches = compileFilter(filter.operand, readerOf);
      return (row) => !matches(row);
    }
    case 'comparison': {
      const read = readerOf(filter.property);
      const satisfies = valueTest(filter.operator, filter.literal);
      return (row) => {
        const value = read(row);
        return value !== undefined && satisfies(value);
      };
    }
    case 'property': {
      const read = readerOf(filter.name);
      return (row) => {
        const value = read(row);
        return value !== undefined && value.type === 'Edm.Boolean' && value.json === 'true';
      };
    }
    case 'constant': {
      const { value } = filter;
      return () => value;
    }
  }
}

/** Two operands are what most filters have; a call is cheaper than a loop. */
function allOf<Row>(tests: readonly RowTest<Row>[]): RowTest<Row> {
  const [first, second] = tests;
  if (first && second && tests.length === 2) return (row) => first(row) && second(row);
  return (row) => {
    for (const matches of tests) if (!matches(row)) return false;
    return true;
  };
}

function anyOf<Row>(tests: readonly RowTest<Row>[]): RowTest<Row> {
  const [first, second] = tests;
  if (first && second && tests.length === 2) return (row) => first(row) || second(row);
  return (row) => {
    for (const matches of tests) if (matches(row)) return true;
    return false;
  };
}
