import { TableError } from '../protocol/errors.js';

/** What the parser hoped for where it stopped. */
interface Expectation {
  readonly type: string;
  readonly text?: string;
  readonly description?: string;
}

const blanks = /\s*/y;
const stringToken = /(?:datetime|guid|binary|x)?'[^']*(?:''[^']*)*'(?!')/iy;
const stringStart = /(?:datetime|guid|binary|x)?'/iy;
const wordToken = /[\p{L}\p{N}\p{Pc}]+(?:[\p{L}\p{M}\p{N}\p{Pc}\p{Cf}]|\.\p{Nd})*/uy;
/** Signs that OData knows and a table's filter has no place for. */
const signToken = /[(),\-/=?.*:@{}[\]]/y;

/**
 * The refusal of a text that is no filter, where the parser stopped at `stopped`.
 *
 * "Syntax error at position" names the index just behind the offending token, the other texts the index where
 * something stands or is missing. Source: queries, section 11.
 */
export function syntaxFault(text: string, stopped: number, expected: readonly Expectation[]): TableError {
  const at = endOf(blanks, text, stopped) ?? stopped;
  if (endOf(stringStart, text, at) !== undefined && endOf(stringToken, text, at) === undefined) {
    return fault(`There is an unterminated string literal at position ${text.length} in '${text}'.`);
  }
  const token = endOf(stringToken, text, at) ?? endOf(wordToken, text, at);
  const behind = token ?? endOf(signToken, text, at);
  if (behind === undefined && at < text.length) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    return fault(`Syntax error: character '${character}' is not valid at position ${at} in '${text}'.`);
  }
  if (token === undefined && expected.some(({ description }) => description === 'property name')) {
    return fault(`Expression expected at position ${at} in '${text}'.`);
  }
  if (expected.some((one) => one.text === ',')) return fault(`')' or ',' expected at position ${at} in '${text}'.`);
  if (expected.some((one) => one.text === ')')) {
    return fault(`')' or operator expected at position ${at} in '${text}'.`);
  }
  return fault(`Syntax error at position ${behind ?? at} in '${text}'.`);
}

/** The index just behind a token, if that token stands at `at`. */
function endOf(token: RegExp, text: string, at: number): number | undefined {
  token.lastIndex = at;
  return token.test(text) ? token.lastIndex : undefined;
}

function fault(message: string): TableError {
  return new TableError('InvalidInput', { message });
}
