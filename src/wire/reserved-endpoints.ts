import type { IncomingMessage, ServerResponse } from 'node:http';
import { targetOf } from '../address/request-target.js';
import type { HeaderFields } from '../protocol/header-fields.js';

/** A request of Node.js. Only headers in the protocol's list are read. */
export type ReservedRequest = Omit<IncomingMessage, 'headers'> & { readonly headers: HeaderFields };

/** Answers requests to reserved paths of the server itself. Control implements it. */
export interface ReservedEndpoints {
  /** Answers one request. It may leave the body unread. */
  answer(request: ReservedRequest, response: ServerResponse): Promise<void>;
}

/** The root of the server's own endpoints. */
export const controlRoot = '/_tabularium';

/** The header of every answer of these endpoints, so that a client recognizes this server. */
export const controlMark = 'x-tabularium';

/** Returns whether the path of a request is reserved: no account name begins with `_`. */
export function isReserved(url: string): boolean {
  return targetOf(url).startsWith('/_');
}
