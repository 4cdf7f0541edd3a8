import { TableError } from '../protocol/errors.js';

const form = /^1!(\d+)!([A-Za-z0-9+/*_=-]*)$/;

/** A surrogate without its partner; strings of .NET and JavaScript may hold one, UTF-8 may not. */
const loneSurrogate = /(\p{Surrogate})/u;
const loneSurrogateBytes = /(\xed[\xa0-\xbf][\x80-\xbf])/;

/**
 * Writes a text, such as the key of the next entity, as a continuation token: `1!`, length, `!`, base64 of UTF-8 with
 * `-`, `*` and `_` for `=`, `+` and `/`.
 *
 * A lone surrogate becomes three bytes, as UTF-8 would write it if it might: were it replaced, a walk would go on at
 * another key than the one it stopped at, and lose rows or never end. Source: queries, section 6.4.
 */
export function encodeToken(text: string): string {
  const base64 = bytesOf(text).toString('base64');
  const written = base64.replaceAll('=', '-').replaceAll('+', '*').replaceAll('/', '_');
  return `1!${written.length}!${written}`;
}

/**
 * Reads a token back, its base64 in our letters or in the usual ones.
 *
 * Errors: InvalidInput for whatever `encodeToken` cannot have written. Source: queries, section 6.4.
 */
export function decodeToken(token: string): string {
  const base64 = form.exec(token)?.[2]?.replaceAll('-', '=').replaceAll('*', '+').replaceAll('_', '/');
  const text = base64 === undefined ? '' : textOf(Buffer.from(base64, 'base64'));
  // Buffer reads any base64 and any UTF-8 somehow; only writing it again shows that nothing was bent.
  if (encodeToken(text) !== withOurLetters(token)) throw new TableError('InvalidInput');
  return text;
}

function withOurLetters(token: string): string {
  return token.replaceAll('=', '-').replaceAll('+', '*').replaceAll('/', '_');
}

function bytesOf(text: string): Buffer {
  if (!loneSurrogate.test(text)) return Buffer.from(text, 'utf8');
  // Splitting by a group puts the surrogates at the odd places.
  const parts = text.split(loneSurrogate).map((part, at) => {
    if (at % 2 === 0) return Buffer.from(part, 'utf8');
    const unit = part.charCodeAt(0);
    return Buffer.from([0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]);
  });
  return Buffer.concat(parts);
}

function textOf(bytes: Buffer): string {
  // One character per byte: within UTF-8, the byte 0xED never stands but at the head of three.
  return bytes
    .toString('latin1')
    .split(loneSurrogateBytes)
    .map((part, at) => {
      if (at % 2 === 0) return Buffer.from(part, 'latin1').toString('utf8');
      return String.fromCharCode(0xd000 | ((part.charCodeAt(1) & 0x3f) << 6) | (part.charCodeAt(2) & 0x3f));
    })
    .join('');
}
