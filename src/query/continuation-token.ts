import { lowerAscii } from '../protocol/names.js';
import { invalidOption } from './query-options.js';

const form = /^1!(\d+)!([A-Za-z0-9+/*_=-]*)$/;

/** A surrogate without its partner, which is possible in strings of .NET and JavaScript but not in UTF-8. */
const loneSurrogate = /(\p{Surrogate})/u;
const loneSurrogateBytes = /(\xed[\xa0-\xbf][\x80-\xbf])/;

/**
 * Encodes a text, such as the key of the next entity, as a continuation token: `1!`, a length, `!`, and the UTF-8 text
 * in base64 with `-`, `*` and `_` for `=`, `+` and `/`. The text `p` becomes `1!4!cA--`. The server keeps nothing for a
 * token: it is the place where the next page begins.
 *
 * A lone surrogate is encoded as three bytes in the scheme of UTF-8. If it were replaced, a query would continue at
 * another key than the one where it stopped, and would lose rows or never end. Source: query 6.4.
 */
export function encodeToken(text: string): string {
  const base64 = bytesOf(text).toString('base64');
  const written = base64.replaceAll('=', '-').replaceAll('+', '*').replaceAll('/', '_');
  return `1!${written.length}!${written}`;
}

/**
 * Decodes a continuation token. The base64 part may also use `=`, `+` and `/`.
 *
 * Errors: InvalidInput for a token that `encodeToken` cannot have written. Source: query 6.4.
 */
export function decodeToken(token: string): string {
  const base64 = form.exec(token)?.[2]?.replaceAll('-', '=').replaceAll('*', '+').replaceAll('_', '/');
  const text = base64 === undefined ? '' : textOf(Buffer.from(base64, 'base64'));
  // Buffer accepts invalid base64 and UTF-8. Encoding the text again detects them.
  if (encodeToken(text) !== withTokenLetters(token)) throw invalidOption('continuation token', token);
  return text;
}

function withTokenLetters(token: string): string {
  return token.replaceAll('=', '-').replaceAll('+', '*').replaceAll('/', '_');
}

function bytesOf(text: string): Buffer {
  // The pattern has a group, so the surrogates are at the odd indexes.
  const parts = text.split(loneSurrogate).map((part, at) => {
    if (at % 2 === 0) return Buffer.from(part);
    const unit = part.charCodeAt(0);
    return Buffer.from([0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]);
  });
  return Buffer.concat(parts);
}

function textOf(bytes: Buffer): string {
  // One character per byte. In UTF-8, the byte 0xED is always the first of three.
  return bytes
    .toString('latin1')
    .split(loneSurrogateBytes)
    .map((part, at) => {
      if (at % 2 === 0) return Buffer.from(part, 'latin1').toString('utf8');
      return String.fromCharCode(0xd000 | ((part.charCodeAt(1) & 0x3f) << 6) | (part.charCodeAt(2) & 0x3f));
    })
    .join('');
}

/** Separates the name from the creation time. Source: recordings-facts 5. */
const separator = '\u0001';

/** Encodes the table at which a query of tables continues: its lower-cased name and its creation time. */
export function encodeTableToken({ name, created }: { readonly name: string; readonly created: string }): string {
  return encodeToken(`${lowerAscii(name)}${separator}${created}`);
}

/** Returns the lower-cased name at which a query of tables continues. The creation time is ignored. Errors: those of `decodeToken`. */
export function decodeTableToken(token: string): string {
  return lowerAscii(decodeToken(token).split(separator, 1)[0] ?? '');
}
