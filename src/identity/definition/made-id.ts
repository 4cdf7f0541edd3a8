import { createHash } from 'node:crypto';

/**
 * Makes a GUID from a name, so that an identity whose IDs are not in its file has the same ones on every machine. It has the
 * form of version 8, whose bits are free. Source: RFC 9562, section 5.8.
 */
export function madeId(kind: 'tenant' | 'client' | 'object', name: string): string {
  const hex = createHash('sha256').update(`tabularium ${kind} ${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
