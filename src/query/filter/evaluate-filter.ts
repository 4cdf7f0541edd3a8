import type { StoredValue } from '../../entity/stored/read-property.js';
import type { Filter } from './filter.js';
import { onlyJsonOf, type ValueTest, valueTest } from './value-test.js';

/** Returns whether a row matches a filter. */
export type RowTest<Row> = (row: Row) => boolean;

/** Returns a function that reads a property of a row, or undefined if the row does not have the property. */
export type ReaderOf<Row> = (name: string) => (row: Row) => StoredValue | undefined;

/**
 * Returns a test of rows: whether the row has a property, and its value satisfies a test. `only` is the canonical JSON that all
 * values have which satisfy it, if there is one.
 */
export type PropertyTestOf<Row> = (name: string, satisfies: ValueTest, only: string | undefined) => RowTest<Row>;

/**
 * Compiles a filter into a test of rows. Compile once per query, because the test runs for every row in range.
 *
 * A comparison with a missing property is false, even with `ne`. Its negation is true.
 * Source: query 2; query 4; query 5.
 */
export function compileFilter<Row>(filter: Filter, readerOf: ReaderOf<Row>): RowTest<Row> {
  return compileFilterWith(filter, (name, satisfies) => {
    const read = readerOf(name);
    return (row) => {
      const value = read(row);
      return value !== undefined && satisfies(value.type, value.json);
    };
  });
}

/**
 * Compiles a filter in the same way, with the caller's own test of a property. V8 compiles that test for the rows that it
 * has seen: if it tests rows of one kind alone, a filter is a fifth faster. Source: docs/benchmarks.md.
 */
export function compileFilterWith<Row>(filter: Filter, propertyTestOf: PropertyTestOf<Row>): RowTest<Row> {
  switch (filter.kind) {
    case 'and':
      return allOf(filter.operands.map((operand) => compileFilterWith(operand, propertyTestOf)));
    case 'or':
      return anyOf(filter.operands.map((operand) => compileFilterWith(operand, propertyTestOf)));
    case 'not': {
      const matches = compileFilterWith(filter.operand, propertyTestOf);
      return (row) => !matches(row);
    }
    case 'comparison': {
      const { property, operator, literal } = filter;
      return propertyTestOf(
        property,
        valueTest(operator, literal),
        operator === 'eq' ? onlyJsonOf(literal) : undefined,
      );
    }
    case 'property':
      // Only an Edm.Boolean has this JSON: a string has quotes.
      return propertyTestOf(filter.name, (_type, json) => json === 'true', 'true');
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
