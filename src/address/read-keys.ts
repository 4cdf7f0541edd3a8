import { type ErrorVariant, TableError } from '../protocol/errors.js';
import { readToken, type Token } from '../protocol/values/token.js';

/** A key between the parentheses of an address. */
export interface AddressedKey {
  /** Undefined for a key without a name, as in `Tables('name')`. */
  readonly name: string | undefined;
  /** The string itself: `O'Hara` for `'O''Hara'`. */
  readonly value: string;
}

/** A segment of a path, in its parts. */
export interface PathSegment {
  readonly name: string;
  /** Undefined for a segment without parentheses. */
  readonly keys: readonly AddressedKey[] | undefined;
}

/** Splits a segment of a path, decoded, into its name and its keys. Errors: InvalidInput. Source: operations 1.3. */
export function splitSegment(segment: string): PathSegment {
  const keysAt = segment.indexOf('(');
  const name = keysAt < 0 ? segment : segment.slice(0, keysAt);
  if (name.includes(')') || (keysAt >= 0 && !segment.endsWith(')'))) throw keySyntax();
  return { name, keys: keysAt < 0 ? undefined : readKeys(segment.slice(keysAt + 1, -1)) };
}

/**
 * Reads the text between the parentheses of an address: strings, each with or without a name, in the tokens of a `$filter`. A quote
 * within a string is doubled. A pair may follow another without a comma, which the service shows by the faults that it reports:
 * of `RowKey='two'three'` it reports the last quote, so it has read `three` as the name of the next key.
 *
 * Errors: InvalidInput for the first fault, with its own text for an unclosed string and for a character that begins no token.
 * Source: operations 1.3.
 */
function readKeys(text: string): readonly AddressedKey[] {
  const keys: AddressedKey[] = [];
  let token = tokenAfter(text, 0);
  while (token.kind !== 'end') {
    let name: string | undefined;
    if (token.kind === 'word') {
      name = token.text;
      token = tokenAfter(text, token.end);
      if (token.text !== '=') throw keySyntax();
      token = tokenAfter(text, token.end);
    }
    if (token.kind !== 'string') throw keySyntax();
    keys.push({ name, value: token.text.slice(1, -1).replaceAll("''", "'") });
    token = tokenAfter(text, token.end);
    if (token.text !== ',') continue;
    token = tokenAfter(text, token.end);
    if (token.kind === 'end') throw keySyntax();
  }
  return keys;
}

/** Returns the error of an address with malformed keys. */
export function keySyntax(variant: ErrorVariant = { name: 'path-syntax' }): TableError {
  return new TableError('InvalidInput', { variant });
}

function tokenAfter(text: string, from: number): Token {
  const token = readToken(text, from);
  const { kind, at: position, text: character } = token;
  if (kind === 'unterminated') throw keySyntax({ name: 'path-string-unterminated', text });
  if (kind === 'unknown') throw keySyntax({ name: 'path-character', character, position, text });
  return token;
}
