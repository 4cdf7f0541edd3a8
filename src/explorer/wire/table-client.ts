import { newestVersion } from '../../protocol/versions.js';
import {
  type Entity,
  type EntityKeys,
  parseServiceJson,
  readEntity,
  systemColumns,
  writeBody,
} from '../base/entity.js';
import type { Value } from '../base/value.js';
import { reach } from './connection.js';
import { ownHeaders } from './control-client.js';

/** The service rejected a request. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: number;
  /** The error code of the service, such as `EntityAlreadyExists`. */
  readonly code: string;
  /** The ID of the request in the journal. Absent for an operation of a transaction. */
  readonly requestId: string | undefined;

  constructor(status: number, code: string, message: string, requestId?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
  }
}

/** A query of a table. */
export interface PageWish {
  readonly filter: string;
  /** The columns to send; undefined for all. */
  readonly select: readonly string[] | undefined;
}

/** The start of the next page, from the service. */
export interface Continuation {
  readonly partition: string;
  readonly row: string | undefined;
}

/** A page of entities. */
export interface EntityPage {
  readonly entities: readonly Entity[];
  readonly next: Continuation | undefined;
  /** The `x-ms-request-id` of the answer, the ID of the request in the journal. */
  readonly requestId: string;
}

/** A request to the service, without its path. */
export interface ServiceRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'MERGE' | 'DELETE';
  readonly body?: string;
  /** Headers that are added or replace the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The authorization of a request: the signature of the session, or a token of the current identity. */
export interface Credential {
  /** Sent in the query; empty with a token. */
  readonly signature: string;
  /** Sent in a header, never in an address. */
  readonly token: string | undefined;
}

/** Sends a request to an account; `path` is below it. Errors: ServiceError; Unreachable. */
export async function sendRequest(
  account: string,
  { signature, token }: Credential,
  path: string,
  { method = 'GET', body, ifMatch, headers: others = {}, signal }: ServiceRequest = {},
): Promise<Response> {
  const query = signature === '' ? '' : `${path.includes('?') ? '&' : '?'}${signature}`;
  const headers = new Headers({
    ...ownHeaders,
    Accept: 'application/json;odata=minimalmetadata',
    'x-ms-version': newestVersion,
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
  });
  for (const [name, value] of Object.entries(others)) headers.set(name, value);
  const answer = await reach(`/${account}${path}${query}`, {
    method,
    headers,
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });
  if (answer.ok) return answer;
  throw readFault(answer.status, await answer.text(), answer.headers.get('x-ms-request-id') ?? undefined);
}

/** Reads an error of the service, in JSON or, for policies and properties, in XML. */
function readFault(status: number, text: string, requestId?: string): ServiceError {
  try {
    const { code, message } = JSON.parse(text)['odata.error'];
    return new ServiceError(
      status,
      String(code),
      (String(message.value).split(/\n(?:RequestI[dD]:|ActivityId:)/, 1)[0] ?? '').trimEnd(),
      requestId,
    );
  } catch {
    const element = (name: string) => new RegExp(`<(m:)?${name}\\b[^>]*>([^<\\n]*)`).exec(text)?.[2];
    const message = element('message') ?? `The server answered with status ${status}.`;
    return new ServiceError(status, element('code') ?? 'Unknown', message, requestId);
  }
}

function entityPath(table: string, { partitionKey, rowKey }: EntityKeys): string {
  const key = (text: string) => encodeURIComponent(text.replaceAll("'", "''").toWellFormed());
  return `/${table}(PartitionKey='${key(partitionKey)}',RowKey='${key(rowKey)}')`;
}

/** Reads and writes tables and entities through a function that sends requests to an account. */
export class TableClient {
  readonly #send: (path: string, request?: ServiceRequest) => Promise<Response>;

  constructor(send: (path: string, request?: ServiceRequest) => Promise<Response>) {
    this.#send = send;
  }

  /** Reads one page of entities, up to 1,000. */
  async readPage(table: string, wish: PageWish, from?: Continuation, signal?: AbortSignal): Promise<EntityPage> {
    const { filter, select } = wish;
    const query = new URLSearchParams();
    if (filter !== '') query.set('$filter', filter);
    // The keys and the Timestamp are always selected.
    if (select) query.set('$select', [...new Set([...systemColumns, ...select])].join(','));
    if (from) query.set('NextPartitionKey', from.partition);
    if (from?.row !== undefined) query.set('NextRowKey', from.row);
    // A space must be %20: the service takes a plus sign literally.
    const answer = await this.#send(`/${table}()?${query.toString().replaceAll('+', '%20')}`, { signal });
    const { value } = parseServiceJson(await answer.text()) as { readonly value: readonly object[] };
    const partition = answer.headers.get('x-ms-continuation-NextPartitionKey');
    const row = answer.headers.get('x-ms-continuation-NextRowKey') ?? undefined;
    return {
      entities: value.map((one) => readEntity(one)),
      next: partition === null ? undefined : { partition, row },
      requestId: answer.headers.get('x-ms-request-id') ?? '',
    };
  }

  /** Reads one entity. Errors: ServiceError, such as ResourceNotFound. */
  async readOne(table: string, keys: EntityKeys): Promise<Entity> {
    const answer = await this.#send(entityPath(table, keys));
    return readEntity(parseServiceJson(await answer.text()) as object, answer.headers.get('etag') ?? '');
  }

  /** Inserts an entity. Errors: ServiceError, such as EntityAlreadyExists. */
  async insertEntity(table: string, keys: EntityKeys, properties: ReadonlyMap<string, Value>): Promise<void> {
    await this.#send(`/${table}`, { method: 'POST', body: writeBody(properties, keys) });
  }

  /**
   * Changes an entity with this ETag; `*` for any. Properties that are not named stay with `MERGE`, and go with `PUT`. Errors: ServiceError,
   * such as UpdateConditionNotSatisfied.
   */
  async changeEntity(
    table: string,
    keys: EntityKeys,
    wish: { readonly method: 'MERGE' | 'PUT'; readonly properties: ReadonlyMap<string, Value>; readonly etag: string },
  ): Promise<void> {
    const { method, properties, etag } = wish;
    await this.#send(entityPath(table, keys), { method, body: writeBody(properties, keys), ifMatch: etag });
  }

  /** Lists the names of the tables. Errors: ServiceError. */
  async listTableNames(): Promise<readonly string[]> {
    const names: string[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const answer: Response = await this.#send(
        next === '' ? '/Tables' : `/Tables?NextTableName=${encodeURIComponent(next)}`,
      );
      const { value } = parseServiceJson(await answer.text()) as { readonly value: readonly { TableName: string }[] };
      names.push(...value.map(({ TableName }) => TableName));
      next = answer.headers.get('x-ms-continuation-NextTableName');
    }
    return names;
  }

  /** Creates a table. Errors: ServiceError, such as TableAlreadyExists. */
  async createTable(name: string): Promise<void> {
    await this.#send('/Tables', { method: 'POST', body: JSON.stringify({ TableName: name }) });
  }

  /** Deletes a table with its entities. */
  async deleteTable(name: string): Promise<void> {
    await this.#send(`/Tables('${name}')`, { method: 'DELETE' });
  }
}
