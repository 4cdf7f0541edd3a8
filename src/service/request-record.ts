import type { IncomingMessage } from 'node:http';
import type { Resource } from '../address/resource.js';
import type { Representation } from '../formats/representation.js';
import type { Explanation } from '../insight/why/explanation.js';
import type { AskedEntities, WrittenEntities } from '../operations/answer.js';
import type { TableError } from '../protocol/errors.js';
import type { OperationName } from '../protocol/operation-names.js';
import type { KeptBodies } from './kept-bodies.js';

/** The operation of a transaction that failed, so that nothing of the transaction was done. */
export interface FailedPart {
  /** The name of the operation; undefined if it was not found. */
  readonly operation: OperationName | undefined;
  /** Why it failed. `at` is its position in the transaction. */
  readonly refusal: TableError;
}

/**
 * A request of the service when it ends. Fields that were not reached are undefined: a request that is refused for its
 * signature has no operation.
 *
 * The record is the exchange itself, so observers cost no allocation. An observer copies what it keeps, because the record
 * holds the request with its socket.
 */
export interface RequestRecord {
  /** Headers and target. Both may contain secrets. */
  readonly request: IncomingMessage;
  /** The scheme by which it came. */
  readonly scheme: 'http' | 'https';
  /** The address of its client. */
  readonly caller: string;
  readonly requestId: string;
  /** The number of the request in this process. It stands for the id. */
  readonly requestNumber: number;
  /** `x-ms-client-request-id` of the request. */
  readonly clientRequestId: string | undefined;
  /** `Accept` of the request. */
  readonly accept: string | undefined;
  /** The name of the operation, as the service calls it. */
  readonly operation: OperationName | undefined;
  readonly account: string | undefined;
  readonly resource: Resource | undefined;
  /** Status of the answer; 499 if the client left before it was sent; 202 for a transaction that failed. */
  readonly status: number;
  /** Why the request was refused, with evidence if there is any. */
  readonly refusal: TableError | undefined;
  /** Undefined unless the request is a transaction of which an operation failed. */
  readonly failedPart: FailedPart | undefined;
  /** Why the request was refused, in the words of a developer; undefined if nothing asks for explanations. */
  readonly explanation: Explanation | undefined;
  /** How many entities were tested or taken for the answer; 0 if it is not about entities. */
  readonly entitiesRead: number;
  /** How many entities are in the answer. */
  readonly entitiesReturned: number;
  /** What a query of entities asked for; undefined for other operations and for refused queries. */
  readonly asked: AskedEntities | undefined;
  /** What a single write or a transaction has written; undefined if nothing was. */
  readonly written: WrittenEntities | undefined;
  /** The form of the answer. */
  readonly representation: Representation;
  /** Whether the answer has a continuation token. */
  readonly continues: boolean;
  /** Size of the body of the request, as far as it was read. 0 for an operation without a body. Unit: bytes. */
  readonly requestBytes: number;
  /** Time from the end of the headers until the answer is handed to the system. Unit: milliseconds. */
  readonly durationMs: number;
  /** Size of the body of the answer. Unit: bytes. */
  readonly answerBytes: number;
  /** The bodies, if the server keeps them. */
  readonly bodies: KeptBodies | undefined;
  /** The ids of the fault rules that acted on the request, with commas between them; undefined if none did. */
  readonly fault: string | undefined;
}

/** Returns whether what asked a store for changes is a request. */
export function isRequestRecord(source: object | undefined): source is RequestRecord {
  return source !== undefined && 'requestId' in source && 'request' in source;
}

/** Gets each request of the service when it ends. It delays the next request of the connection, so it must be quick. */
export type RequestObserver = (record: RequestRecord) => void;
