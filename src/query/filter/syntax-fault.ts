import { type ErrorVariant, TableError } from '../../protocol/errors.js';
import { readToken } from '../../protocol/values/token.js';

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
export function syntaxFault(text: string, stopped: number, expected: readonly Expectation[]): TableError {
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
