import { readJsonString, writeJsonString } from '../entity/json-text.js';
import type { StoredValue } from '../entity/read-property.js';
import type { EdmType } from '../protocol/edm.js';
import type { ComparisonOperator, Literal } from './filter.js';

/** Whether a stored value satisfies one comparison. */
export type ValueTest = (value: StoredValue) => boolean;

/**
 * Compiles a comparison with a literal for values that are there; a missing one satisfies nothing.
 *
 * Types that differ, apart from a numeric literal narrower than the property, satisfy `ne`, `lt` and `le`, whatever
 * the values. Source: queries, sections 4 and 5.1.
 */
export function valueTest(operator: ComparisonOperator, literal: Literal): ValueTest {
  const { type, value } = literal;
  switch (type) {
    case 'Edm.String':
      return textTest(operator, type, writeJsonString(value), readJsonString, value);
    case 'Edm.Boolean':
      // As text, too, false is before true.
      return textTest(operator, type, value, (json) => json, value);
    case 'Edm.DateTime':
      return textTest(operator, type, `"${value}"`, instantOf, value.slice(0, -1));
    case 'Edm.Guid':
      return textTest(operator, type, `"${value}"`, unquoted, value);
    case 'Edm.Binary':
      return textTest(operator, type, `"${Buffer.from(value, 'hex').toString('base64')}"`, hexOf, value);
    case 'Edm.Int32':
      return int32Test(operator, Number(value));
    case 'Edm.Int64':
      return int64Test(operator, value);
    case 'Edm.Double':
      return doubleTest(operator, Number(value));
  }
}

/** For types whose canonical JSON differs exactly when their values do: equality needs no decoding, order needs `read`. */
function textTest(
  operator: ComparisonOperator,
  type: EdmType,
  json: string,
  read: (json: string) => string,
  literal: string,
): ValueTest {
  if (operator === 'eq') return (value) => value.json === json && value.type === type;
  if (operator === 'ne') return (value) => value.json !== json || value.type !== type;
  const mismatch = outcomeOfMismatch(operator);
  const ordered = orderTest(operator, literal);
  return (value) => (value.type === type ? ordered(read(value.json)) : mismatch);
}

function int32Test(operator: ComparisonOperator, literal: number): ValueTest {
  const mismatch = outcomeOfMismatch(operator);
  const ordered = orderTest(operator, literal);
  return ({ type, json }) => {
    if (type === 'Edm.Int32') return ordered(Number(json));
    // Rounding a long Int64 to a double keeps it on its side of every Int32.
    if (type === 'Edm.Int64') return ordered(Number(unquoted(json)));
    return type === 'Edm.Double' ? ordered(doubleOf(json)) : mismatch;
  };
}

function int64Test(operator: ComparisonOperator, digits: string): ValueTest {
  const mismatch = outcomeOfMismatch(operator);
  const widened = orderTest(operator, Number(digits));
  const exact = orderTest(operator, BigInt(digits));
  // Below 2^53 a double holds the literal exactly, and rounding keeps every other Int64 on its side of it.
  const safe = Number.isSafeInteger(Number(digits));
  return ({ type, json }) => {
    if (type === 'Edm.Int64') return safe ? widened(Number(unquoted(json))) : exact(BigInt(unquoted(json)));
    return type === 'Edm.Double' ? widened(doubleOf(json)) : mismatch;
  };
}

function doubleTest(operator: ComparisonOperator, literal: number): ValueTest {
  const mismatch = outcomeOfMismatch(operator);
  const ordered = orderTest(operator, literal);
  return ({ type, json }) => (type === 'Edm.Double' ? ordered(doubleOf(json)) : mismatch);
}

/** What a comparison of different types comes to, whatever the values. */
function outcomeOfMismatch(operator: ComparisonOperator): boolean {
  return operator === 'ne' || operator === 'lt' || operator === 'le';
}

/** The operator itself. Strings compare by code unit and NaN as IEEE has it, which is what JavaScript does. */
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

/** Without its final `Z` a canonical DateTime compares as text: a shorter fraction is then a prefix, and earlier. */
function instantOf(json: string): string {
  return json.slice(1, -2);
}

/** Bytes compare as their hex digits do. */
function hexOf(json: string): string {
  return Buffer.from(json.slice(1, -1), 'base64').toString('hex');
}

/** NaN and the infinities are strings in JSON. */
function doubleOf(json: string): number {
  return Number(json.startsWith('"') ? json.slice(1, -1) : json);
}
