import type { IncomingMessage, ServerResponse } from 'node:http';
import { targetOf } from '../address/request-target.js';

/** Answers the requests whose path is reserved for the server itself. Control implements it. */
export interface ReservedEndpoints {
  /** Answers one request. It may leave the body unread. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** The path below which the server's own endpoints are. */
export const controlRoot = '/_tabularium';

/** Returns whether the path of a request is reserved: no account name begins with `_`. */
export function isReserved(url: string): boolean {
  return targetOf(url).startsWith('/_');
}
