import type { IncomingMessage } from 'node:http';
import type { Resource } from '../address/resource.js';
import type { TableError } from '../protocol/errors.js';

/**
 * What is known of a request of the service when it ends. Fields that it never came to are undefined: a request that
 * is refused for its signature has no operation.
 *
 * It is the exchange itself, so observers cost no allocation. An observer that keeps something copies it: the record
 * holds the request with its socket.
 */
export interface RequestRecord {
  /** Headers and target. Both may contain secrets. */
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** The name of the operation, as the service calls it. */
  readonly operation: string | undefined;
  readonly account: string | undefined;
  readonly resource: Resource | undefined;
  /** Status of the answer; 499 if the client left before it was sent. */
  readonly status: number;
  /** Why the request was refused: its code, and perhaps evidence. */
  readonly refusal: TableError | undefined;
  /** From the first look at the request until its answer was handed to the system. Unit: milliseconds. */
  readonly durationMs: number;
  /** Size of the body of the answer. Unit: bytes. */
  readonly answerBytes: number;
}

/** Hears of each request of the service when it ends. Runs before the next request of the connection, so it is quick. */
export type RequestObserver = (record: RequestRecord) => void;
