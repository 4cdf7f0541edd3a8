import type { StoredValue } from '../entity/read-property.js';
import type { Filter } from './filter.js';
import { valueTest } from './value-test.js';

/** Returns whether a row matches a filter. */
export type RowTest<Row> = (row: Row) => boolean;

/** Returns a function that reads a property of a row, or undefined if the row does not have the property. */
export type ReaderOf<Row> = (name: string) => (row: Row) => StoredValue | undefined;

/**
 * Compiles a filter into a test of rows. Compile once per query, because the test runs for every row in range.
 *
 * A comparison with a missing property is false, even with `ne`. Its negation is true.
 * Source: query 2; query 4; query 5.
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
      // Only an Edm.Boolean has this JSON: a string has quotes.
      return (row) => read(row)?.json === 'true';
    }
    case 'constant': {
      const { value } = filter;
      return () => value;
    }
  }
}

/** Returns whether all tests match. Most filters have two operands, and for these two calls are faster than a loop. */
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
