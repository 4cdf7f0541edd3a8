import type { TableError } from '../protocol/errors.js';
import type { Exchange } from './exchange.js';
import { addCorsHeaders, send } from './write-answer.js';

/** Answers an exchange with an error, in its dialect. */
export function writeError(exchange: Exchange, error: TableError, now: Date): void {
  const { status, reason, headers, body, hasCorsHeaders } = exchange.dialect.writeError(error, exchange, now);
  if (hasCorsHeaders) addCorsHeaders(exchange, headers);
  send(exchange, status, reason, headers, body);
}
