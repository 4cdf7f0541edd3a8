import type { EntityText } from '../../entity/stored/entity.js';
import { readJsonString, writeJsonString } from '../../entity/stored/json-text.js';
import { propertyReader, readValues, type StoredValue } from '../../entity/stored/read-property.js';
import type { EdmType } from '../../protocol/values/edm.js';
import { type ComparisonOperator, type Filter, type Literal, propertiesOf } from './filter.js';

/** Returns whether a stored value, given by its type and its canonical JSON, satisfies one comparison. */
type ValueTest = (type: EdmType, json: string) => boolean;

/**
 * Compiles a comparison of a value with a literal. The value exists: a missing one satisfies no comparison.
 *
 * Values of another type satisfy `ne`, `lt` and `le`, whatever the values are. A numeric literal with a narrower type
 * than the property is converted instead. Source: query 4; query 5.1.
 */
export function valueTest(operator: ComparisonOperator, literal: Literal): ValueTest {
  const { type, value } = literal;
  const json = onlyJsonOf(literal) ?? '';
  switch (type) {
    case 'Edm.String':
      return textTest(operator, type, json, readJsonString, value);
    case 'Edm.Boolean':
      // As text, `false` also sorts before `true`.
      return textTest(operator, type, json, (json) => json, value);
    case 'Edm.DateTime':
      return textTest(operator, type, json, instantOf, value.slice(0, -1));
    case 'Edm.Guid':
      return textTest(operator, type, json, unquoted, value);
    case 'Edm.Binary':
      return textTest(operator, type, json, hexOf, value);
    case 'Edm.Int32':
      return int32Test(operator, Number(value));
    case 'Edm.Int64':
      return int64Test(operator, value);
    case 'Edm.Double':
      return doubleTest(operator, Number(value));
  }
}

/** Returns the canonical JSON of all values that equal a literal; undefined for numbers, of which several types are equal. */
function onlyJsonOf({ type, value }: Literal): string | undefined {
  switch (type) {
    case 'Edm.String':
      return writeJsonString(value);
    case 'Edm.Boolean':
      return value;
    case 'Edm.DateTime':
    case 'Edm.Guid':
      return `"${value}"`;
    case 'Edm.Binary':
      return `"${Buffer.from(value, 'hex').toString('base64')}"`;
    case 'Edm.Int32':
    case 'Edm.Int64':
    case 'Edm.Double':
      return undefined;
  }
}

/** Compiles a test for types with one canonical JSON per value: `eq` and `ne` compare the JSON, the others use `read`. */
function textTest(
  operator: ComparisonOperator,
  type: EdmType,
  json: string,
  read: (json: string) => string,
  literal: string,
): ValueTest {
  if (operator === 'eq') return (ofValue, jsonOfValue) => ofValue === type && jsonOfValue === json;
  if (operator === 'ne') return (ofValue, jsonOfValue) => ofValue !== type || jsonOfValue !== json;
  const mismatch = outcomeOfMismatch(operator);
  const ordered = orderTest(operator, literal);
  return (ofValue, jsonOfValue) => (ofValue === type ? ordered(read(jsonOfValue)) : mismatch);
}

function int32Test(operator: ComparisonOperator, literal: number): ValueTest {
  const mismatch = outcomeOfMismatch(operator);
  const ordered = orderTest(operator, literal);
  return (type, json) => {
    if (type === 'Edm.Int32') return ordered(Number(json));
    // Rounding an Int64 to a double does not change its order relative to an Int32.
    if (type === 'Edm.Int64') return ordered(Number(unquoted(json)));
    return type === 'Edm.Double' ? ordered(doubleOf(json)) : mismatch;
  };
}

function int64Test(operator: ComparisonOperator, digits: string): ValueTest {
  const mismatch = outcomeOfMismatch(operator);
  const widened = orderTest(operator, Number(digits));
  const exact = orderTest(operator, BigInt(digits));
  // Below 2^53 a double holds the literal exactly, and rounding another Int64 does not change their order.
  const safe = Number.isSafeInteger(Number(digits));
  return (type, json) => {
    if (type === 'Edm.Int64') return safe ? widened(Number(unquoted(json))) : exact(BigInt(unquoted(json)));
    return type === 'Edm.Double' ? widened(doubleOf(json)) : mismatch;
  };
}

function doubleTest(operator: ComparisonOperator, literal: number): ValueTest {
  const mismatch = outcomeOfMismatch(operator);
  const ordered = orderTest(operator, literal);
  return (type, json) => (type === 'Edm.Double' ? ordered(doubleOf(json)) : mismatch);
}

/** Returns the result of a comparison of different types, which does not depend on the values. */
function outcomeOfMismatch(operator: ComparisonOperator): boolean {
  return operator === 'ne' || operator === 'lt' || operator === 'le';
}

/** Compiles the operator. Strings compare by code unit and NaN as in IEEE 754, as in JavaScript. */
function orderTest<Value extends string | number | bigint>(
  operator: ComparisonOperator,
  literal: Value,
): (value: Value) => boolean {
  switch (operator) {
    case 'eq':
      return (value) => value === literal;
    case 'ne':
      return (value) => value !== literal;
    case 'gt':
      return (value) => value > literal;
    case 'ge':
      return (value) => value >= literal;
    case 'lt':
      return (value) => value < literal;
    case 'le':
      return (value) => value <= literal;
  }
}

function unquoted(json: string): string {
  return json.slice(1, -1);
}

/** Returns a DateTime without its final `Z`. It then compares as text: a shorter fraction is a prefix, so it is earlier. */
function instantOf(json: string): string {
  return json.slice(1, -2);
}

/** Returns bytes in hex, which compare in the same order as the bytes. */
function hexOf(json: string): string {
  return Buffer.from(json.slice(1, -1), 'base64').toString('hex');
}

/** Returns the number of a double's JSON, in which NaN and the infinities are strings. */
function doubleOf(json: string): number {
  return Number(json.startsWith('"') ? json.slice(1, -1) : json);
}

/** Returns whether a row matches a filter. */
export type RowTest<Row> = (row: Row) => boolean;

/** Returns a function that reads a property of a row, or undefined if the row does not have the property. */
type ReaderOf<Row> = (name: string) => (row: Row) => StoredValue | undefined;

/**
 * Returns a test of rows: whether the row has a property, and its value satisfies a test. `only` is the one canonical JSON that
 * satisfies it, if there is one.
 */
type PropertyTestOf<Row> = (name: string, satisfies: ValueTest, only: string | undefined) => RowTest<Row>;

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
 * Compiles a filter in the same way, with the caller's own test of a property. V8 specializes that test for the rows that it has
 * seen: a filter for rows of one kind is a fifth faster. Source: docs/benchmarks.md.
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

/** Maximum number of properties to search for one by one. For more, it is faster to read the whole row. Source: docs/benchmarks.md. */
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
