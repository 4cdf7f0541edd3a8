import type { Address } from '../address/parse-address.js';
import type { Resource } from '../address/resource.js';
import type { Principal } from '../auth/token-authority.js';
import { jsonOfErrors, type Representation } from '../formats/representation.js';
import type { EntityQuery, WrittenEntities } from '../operations/answer.js';
import type { TableError } from '../protocol/errors.js';
import type { Explanation } from '../protocol/explanation.js';
import type { HeaderFields } from '../protocol/header-fields.js';
import type { OperationName } from '../protocol/operation-names.js';
import type { Outcome } from './outcome.js';
import type { Done } from './run.js';
import type { Received } from './stages.js';

/** The failed operation of a transaction, which then has no effect. */
interface FailedPart {
  /** The name of the operation; undefined if it was not found. */
  readonly operation: OperationName | undefined;
  /** Why it failed. `at` is its position in the transaction. */
  readonly rejection: TableError;
}

/**
 * A finished request, for observers. Fields of stages that it did not reach are undefined: a request with a wrong signature has
 * no operation. An observer copies the fields that it keeps, because the record holds the request with its connection.
 */
export interface RequestRecord {
  readonly request: Received;
  readonly requestId: string;
  /** The number of the request on this server, from which the id follows. */
  readonly requestNumber: number;
  readonly clientRequestId: string | undefined;
  readonly operation: OperationName | undefined;
  /** The address as it was parsed; undefined if it could not be read, or names no account. */
  readonly address: Address | undefined;
  readonly account: string | undefined;
  readonly resource: Resource | undefined;
  /** The table of the request, as its path or its body names it; undefined if it has none. */
  readonly table: string | undefined;
  /** The sender, if it has a verified token. */
  readonly principal: Principal | undefined;
  /** Status of the answer; 499 if the client left before it was sent; 202 for a failed transaction. */
  readonly status: number;
  /** Why the request was rejected, with evidence if there is any. */
  readonly rejection: TableError | undefined;
  /** Undefined unless an operation of the transaction failed. */
  readonly failedPart: FailedPart | undefined;
  /** The explanation of the rejection for a developer; undefined without an explainer. */
  readonly explanation: Explanation | undefined;
  /** Number of entities tested for the answer; 0 if it is not about entities. */
  readonly entitiesRead: number;
  readonly entitiesReturned: number;
  /** The answered query; undefined for other operations and for rejected queries. */
  readonly query: EntityQuery | undefined;
  /** The entities of a write or a transaction; undefined if nothing was written. */
  readonly written: WrittenEntities | undefined;
  readonly representation: Representation;
  readonly continues: boolean;
  /** Size of the body of the request, as far as it was read. 0 for an operation without a body. Unit: bytes. */
  readonly requestBytes: number;
  /** Time from the end of the headers until the answer is handed to the system. Unit: milliseconds. */
  readonly durationMs: number;
  /** Size of the body of the answer. Unit: bytes. */
  readonly answerBytes: number;
  readonly bodies: KeptBodies | undefined;
  /** The ids of the fault rules that acted on the request, separated by commas; undefined if none did. */
  readonly fault: string | undefined;
}

/** Gets each request of the service when it ends. It delays the next request of the connection, so it must be quick. */
export type RequestObserver = (record: RequestRecord) => void;

/** The facts of a request that are known only when its answer is sent. */
export interface SentFacts {
  readonly durationMs: number;
  readonly answerBytes: number;
  readonly bodies: KeptBodies | undefined;
}

const notSent: SentFacts = { durationMs: 0, answerBytes: 0, bodies: undefined };

/** Returns the record of an outcome. */
export function recordOf(outcome: Outcome, sent: SentFacts = notSent): RequestRecord {
  const { reached, head, rejection, explanation, faults } = outcome;
  const { received, addressed, routed, bytes, done } = reached;
  const identity = routed?.request.shared.identity;
  const { resource } = reached;
  let entitiesRead = 0;
  let entitiesReturned = 0;
  let query: EntityQuery | undefined;
  let continues = false;
  const answer = done?.answer;
  if (answer?.kind === 'entity') {
    entitiesRead = 1;
    entitiesReturned = 1;
  } else if (answer?.kind === 'entities') {
    entitiesRead = answer.page.examined;
    entitiesReturned = answer.page.rows.length;
    continues = answer.page.next !== undefined;
    query = answer.query;
  }
  // A rule may answer in place of a completed operation.
  const made = faults?.done ?? done;
  return {
    request: received,
    requestId: received.id,
    requestNumber: received.number,
    clientRequestId: received.headers['x-ms-client-request-id'],
    operation: routed?.row.operation.name,
    address: addressed?.address,
    account: addressed?.address.account,
    resource,
    table: resource && 'table' in resource ? resource.table : tableOfBody(rejection, made),
    principal: identity?.kind === 'principal' ? identity.principal : undefined,
    status: head.status,
    rejection,
    failedPart: made?.answer.kind === 'failed-transaction' ? failedPartOf(made.answer) : undefined,
    explanation,
    entitiesRead,
    entitiesReturned,
    query,
    written: made?.written,
    representation: routed?.representation ?? jsonOfErrors,
    continues,
    requestBytes: bytes === undefined ? 0 : bytes.length,
    durationMs: sent.durationMs,
    answerBytes: sent.answerBytes,
    bodies: sent.bodies,
    fault: faults?.rules,
  };
}

/** Returns the table that only the body of a request names: that of a batch, or the one to create. */
function tableOfBody(rejection: TableError | undefined, done: Done | undefined): string | undefined {
  if (done?.answer.kind === 'table-created') return done.answer.name;
  if (rejection?.code !== 'TableAlreadyExists') return done?.table;
  const evidence = rejection.evidence();
  return evidence?.check === 'stored-table' ? evidence.table : undefined;
}

function failedPartOf({ operation, error }: { operation: OperationName | undefined; error: TableError }): FailedPart {
  return { operation, rejection: error };
}

/** Longest kept beginning of a body. Unit: bytes. (Our choice: 256 requests with both bodies fit into 8 MiB.) */
export const keptBodyBytesMax = 16 * 1024;

/** The beginnings of the bodies of one request and its answer, and their headers. They may contain secrets. Undefined: there is none. */
export interface KeptBodies {
  readonly request: Buffer | undefined;
  readonly answer: Buffer | undefined;
  readonly requestHeaders: HeaderFields;
  /** Names and values in turns. The wire adds its own when it sends the answer. */
  readonly answerHeaders: readonly string[];
}

/** Copies the beginnings of the bodies of a request that has an outcome, with the headers. */
export function keepBodies({ reached: { bytes, received }, head, body }: Outcome): KeptBodies {
  const answer = typeof body === 'string' ? Buffer.from(body) : body?.bytes;
  return {
    request: beginningOf(bytes),
    answer: beginningOf(answer),
    requestHeaders: received.headers,
    answerHeaders: head.headers,
  };
}

/** Copies the beginning of a body, whose memory is reused. */
function beginningOf(body: Buffer | undefined): Buffer | undefined {
  return body?.length ? Buffer.from(body.subarray(0, keptBodyBytesMax)) : undefined;
}
