/**
 * A token of a `$filter`, or of the keys in an address:
 *
 * - `end`: the end of the text
 * - `string`: a string in quotes
 * - `literal`: a string in quotes with the name of its type before it, such as `guid'…'`
 * - `word`: a name, a keyword or an operator
 * - `number`: a text that begins with a digit
 * - `sign`: a single sign, such as `(` or `=`
 * - `unterminated`: a string without its last quote
 * - `unknown`: a character that no token begins with
 */
export interface Token {
  readonly kind: 'end' | 'string' | 'literal' | 'word' | 'number' | 'sign' | 'unterminated' | 'unknown';
  readonly text: string;
  /** Where the token begins. Unit: UTF-16 code units, from 0. */
  readonly at: number;
  /** An unterminated string ends at the end of the text. */
  readonly end: number;
}

const blanks = /\s*/y;

/** In the order of the attempts: a word is not a literal, and an unclosed string is not a string. */
const kinds: readonly (readonly [kind: Token['kind'], form: RegExp])[] = [
  ['end', /$/y],
  ['string', /'[^']*(?:''[^']*)*'(?!')/y],
  ['literal', /(?:datetime|guid|binary|x)'[^']*(?:''[^']*)*'(?!')/iy],
  ['unterminated', /(?:datetime|guid|binary|x)?'.*/isy],
  ['number', /\p{N}(?:[\p{L}\p{M}\p{N}\p{Pc}\p{Cf}]|\.\p{Nd}|(?<=e)[+-](?=\p{Nd}))*/iuy],
  ['word', /[\p{L}\p{Pc}](?:[\p{L}\p{M}\p{N}\p{Pc}\p{Cf}]|\.\p{Nd})*/uy],
  // Some of these signs are tokens of OData, but have no use in the Table service.
  ['sign', /[(),\-/=?.*:@{}[\]]/y],
  ['unknown', /./suy],
];

/**
 * Reads the token at a position, after any blanks. Keeps no state, and reads a text token by token in linear time.
 * Source: query 11; operations 1.2.
 */
export function readToken(text: string, from: number): Token {
  blanks.lastIndex = from;
  blanks.test(text);
  const at = blanks.lastIndex;
  for (const [kind, form] of kinds) {
    form.lastIndex = at;
    if (form.test(text)) return { kind, text: text.slice(at, form.lastIndex), at, end: form.lastIndex };
  }
  throw new Error('some token matches at every position');
}
