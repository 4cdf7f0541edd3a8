import { lowerAscii } from '../protocol/names.js';
import { decodeToken, encodeToken } from './continuation-token.js';

/** Separates the name from the creation time. Source: recordings-facts 5. */
const separator = '\u0001';

/** Encodes the table at which a query of tables continues: its lower-cased name and its creation time. */
export function encodeTableToken({ name, created }: { readonly name: string; readonly created: string }): string {
  return encodeToken(`${lowerAscii(name)}${separator}${created}`);
}

/**
 * Returns the lower-cased name at which a query of tables continues. The creation time is ignored.
 *
 * Errors: those of `decodeToken`.
 */
export function decodeTableToken(token: string): string {
  return lowerAscii(decodeToken(token).split(separator, 1)[0] ?? '');
}
