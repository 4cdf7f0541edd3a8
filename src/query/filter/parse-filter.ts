import { SyntaxError as FilterSyntaxError, parse } from '../../generated/filter.js';
import { type ErrorVariant, TableError } from '../../protocol/errors.js';
import { filterDepthMax, filterUnitsMax } from '../../protocol/limits.js';
import { declaredOfEntity } from '../../protocol/values/edm.js';
import { readToken } from '../../protocol/values/token.js';
import { checkFilter, type DeclaredTypes } from './check-filter.js';
import type { Filter } from './filter.js';
import type { SyntaxNode } from './syntax-node.js';

/**
 * Parses a decoded `$filter`. Returns undefined for an empty or blank text, which selects every row.
 *
 * `declared` has the types of the declared properties. The default is for entities.
 *
 * Errors: InvalidInput (400) for a syntax error, incompatible types or `null`; OutOfRangeInput (400) for a date before
 * 1601; NotImplemented (501) for functions, arithmetic, and comparisons other than of a property with a literal.
 * Source: query 2; query 3; query 5.3; query 11.
 */
export function parseFilter(text: string, declared: DeclaredTypes = declaredOfEntity): Filter | undefined {
  if (text.trim() === '') return undefined;
  try {
    return parseAndCheck(text, declared);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    const { code, variant } = error;
    throw new TableError(code, { variant, evidence: () => ({ check: 'filter', filter: text }) });
  }
}

function parseAndCheck(text: string, declared: DeclaredTypes): Filter {
  if (text.length > filterUnitsMax) throw new TableError('InvalidInput', { variant: { name: 'query-input' } });
  if (isTooDeep(text)) throw new TableError('InvalidInput', { variant: { name: 'filter-too-deep' } });
  return checkFilter(parseShape(text), text, declared);
}

function parseShape(text: string): SyntaxNode {
  try {
    return parse(text) as SyntaxNode;
  } catch (error) {
    if (!(error instanceof FilterSyntaxError)) throw error;
    throw syntaxFault(text, error.location.start.offset, error.expected);
  }
}

/** A token that the parser expected where it stopped. */
interface Expectation {
  readonly type: string;
  readonly text?: string;
  readonly description?: string;
}

/**
 * Returns the error for a text with a syntax error at `stopped`, where the parser expected one of `expected`.
 *
 * "Syntax error at position" has the index after the offending token. The other messages have the index of the fault.
 * Source: query 11.
 */
function syntaxFault(text: string, stopped: number, expected: readonly Expectation[]): TableError {
  const { kind, at: position, end, text: token } = readToken(text, stopped);
  if (kind === 'unterminated') return fault({ name: 'filter-string-unterminated', text });
  if (kind === 'unknown') return fault({ name: 'filter-character', character: token, position, text });
  const isSignOrEnd = kind === 'sign' || kind === 'end';
  if (isSignOrEnd && expected.some(({ description }) => description === 'property name')) {
    return fault({ name: 'filter-syntax', missing: 'expression', position, text });
  }
  if (expected.some((one) => one.text === ',')) {
    return fault({ name: 'filter-syntax', missing: 'comma', position, text });
  }
  if (expected.some((one) => one.text === ')')) {
    return fault({ name: 'filter-syntax', missing: 'operator', position, text });
  }
  return fault({ name: 'filter-syntax', position: end, text });
}

function fault(variant: ErrorVariant): TableError {
  return new TableError('InvalidInput', { variant });
}

/** Strings, parentheses and words. A string with a doubled quote is matched as two strings. */
const piece = /'[^']*'|[()]|[\p{L}\p{M}\p{N}\p{Pc}\p{Cf}]+/gu;

/**
 * Returns whether parentheses and `not` are nested too deeply for the parser, which uses the stack for each level. The
 * check runs before the parser, in one pass without recursion. For a malformed filter, the result is arbitrary.
 */
export function isTooDeep(text: string): boolean {
  const outside: number[] = [];
  let depth = 0;
  for (const [word] of text.matchAll(piece)) {
    if (word === '(') {
      outside.push(depth);
      depth++;
    } else if (word === ')') {
      depth = outside.pop() ?? 0;
    } else if (word === 'not') {
      depth++;
    } else if (word === 'and' || word === 'or') {
      // A `not` ends with its operand.
      depth = outside.length > 0 ? (outside.at(-1) ?? 0) + 1 : 0;
    }
    if (depth > filterDepthMax) return true;
  }
  return false;
}
