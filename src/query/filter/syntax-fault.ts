import { type ErrorVariant, TableError } from '../../protocol/errors.js';

/** A token that the parser expected where it stopped. */
interface Expectation {
  readonly type: string;
  readonly text?: string;
  readonly description?: string;
}

const blanks = /\s*/y;
const stringToken = /(?:datetime|guid|binary|x)?'[^']*(?:''[^']*)*'(?!')/iy;
const stringStart = /(?:datetime|guid|binary|x)?'/iy;
const wordToken = /[\p{L}\p{N}\p{Pc}]+(?:[\p{L}\p{M}\p{N}\p{Pc}\p{Cf}]|\.\p{Nd})*/uy;
/** Signs that are tokens in OData but have no use in a filter of the Table service. */
const signToken = /[(),\-/=?.*:@{}[\]]/y;

/**
 * Returns the error for a text with a syntax error at `stopped`, where the parser expected one of `expected`.
 *
 * "Syntax error at position" has the index after the offending token. The other messages have the index of the fault.
 * Source: query 11.
 */
export function syntaxFault(text: string, stopped: number, expected: readonly Expectation[]): TableError {
  const at = endOf(blanks, text, stopped) ?? stopped;
  if (endOf(stringStart, text, at) !== undefined && endOf(stringToken, text, at) === undefined) {
    return fault({ name: 'filter-string-unterminated', text });
  }
  const token = endOf(stringToken, text, at) ?? endOf(wordToken, text, at);
  const end = token ?? endOf(signToken, text, at);
  if (end === undefined && at < text.length) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    return fault({ name: 'filter-character', character, position: at, text });
  }
  if (token === undefined && expected.some(({ description }) => description === 'property name')) {
    return fault({ name: 'filter-syntax', missing: 'expression', position: at, text });
  }
  if (expected.some((one) => one.text === ','))
    return fault({ name: 'filter-syntax', missing: 'comma', position: at, text });
  if (expected.some((one) => one.text === ')')) {
    return fault({ name: 'filter-syntax', missing: 'operator', position: at, text });
  }
  return fault({ name: 'filter-syntax', position: end ?? at, text });
}

/** Returns the index after the token at `at`, or undefined if this token is not there. */
function endOf(token: RegExp, text: string, at: number): number | undefined {
  token.lastIndex = at;
  return token.test(text) ? token.lastIndex : undefined;
}

function fault(variant: ErrorVariant): TableError {
  return new TableError('InvalidInput', { variant });
}
