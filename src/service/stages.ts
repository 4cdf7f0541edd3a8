import type { Address } from '../address/parse-address.js';
import type { Resource } from '../address/resource.js';
import type { Identity } from '../auth/identity.js';
import type { BodyOpener } from '../formats/open-body.js';
import type { Representation } from '../formats/representation.js';
import type { OperationRequest } from '../operations/operation.js';
import type { OperationRow } from '../operations/operation-table.js';
import type { RequestTables } from '../operations/request-tables.js';
import type { HeaderFields } from '../protocol/header-fields.js';
import type { CorsRule } from '../protocol/service-properties.js';
import type { Eventual } from '../store/store.js';
import type { Sink } from './gate.js';
import type { Done } from './run.js';

/** A request as the wire received it, unchecked. */
export interface Received {
  readonly method: string;
  /** Path and query, or an absolute URL, as sent. It may contain a secret. */
  readonly target: string;
  /** They may contain secrets. */
  readonly headers: HeaderFields;
  readonly scheme: 'http' | 'https';
  /** `1.1` or `1.0`. */
  readonly httpVersion: string;
  /** The address of the client. */
  readonly caller: string;
  /** Identifies the connection: the same object for each of its requests. */
  readonly connection: object;
  /** Address and port of this end, for a request that names no host. */
  readonly arrivedAt: string;
  /** The number of the request on this server, and its id. */
  readonly number: number;
  readonly id: string;
  /** Reads the body. Errors: RequestBodyTooLarge; ClientGone. */
  readBody(): Promise<Buffer>;
  isGone(): boolean;
  /** Opens the raw way to the client, for injected faults. */
  openSink(): Sink;
}

/** Known: the account, the endpoint, the query and the version. The sender is not known yet. */
export interface Addressed {
  readonly received: Received;
  /** The version that the request names, if any, and the one by which it is served. */
  readonly namedVersion: string | undefined;
  readonly version: string;
  readonly address: Address;
  /** Whether it is an operation of `?comp=`, whose answers are XML. */
  readonly speaksXml: boolean;
}

/** Known: the sender. The resource in the path is not parsed yet. */
export interface Authenticated {
  readonly received: Received;
  readonly addressed: Addressed;
  readonly identity: Identity;
  /** The tables of the account, each opened once. */
  readonly tables: RequestTables;
}

/** Known: the operation, its resource and the form of its answer. The body is not read yet. Each part of a batch has its own. */
export interface Routed {
  readonly authenticated: Authenticated;
  readonly row: OperationRow;
  readonly request: OperationRequest;
  readonly representation: Representation;
}

/** Known: the text of the body, and its reader. The operation runs next. */
export interface Loaded {
  readonly routed: Routed;
  readonly text: string;
  readonly open: BodyOpener;
}

/** The progress of a request at its end. Stages that it did not reach are undefined. */
export interface Reached {
  readonly received: Received;
  readonly addressed: Addressed | undefined;
  /** The CORS rules of the account: none if they do not matter; a promise while a database reads them. */
  readonly rules: Eventual<readonly CorsRule[]>;
  readonly resource: Resource | undefined;
  readonly routed: Routed | undefined;
  /** The body, as far as it was read. */
  readonly bytes: Buffer | undefined;
  readonly done: Done | undefined;
}

/** The client left before it had sent all of its request, so there is no answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
