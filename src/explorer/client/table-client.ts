import { newestVersion } from '../../protocol/versions.js';
import { areKeysRefused, forgetToken, reader, tokenOf } from '../shell/read-as.js';
import { account, renewSession, session } from '../shell/session.js';
import { ownHeaders } from './control-client.js';
import { type Entity, type EntityKeys, parseServiceJson, readEntity, writeBody } from './entity.js';
import type { Value } from './value.js';

/** The service refused a request. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: number;
  /** The error code of the service, as `EntityAlreadyExists`. */
  readonly code: string;
  /** By which the journal knows the request. Absent for an operation of a transaction. */
  readonly requestId: string | undefined;

  constructor(status: number, code: string, message: string, requestId?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
  }
}

/** What is asked of a table. */
export interface PageWish {
  readonly filter: string;
  /** The columns to send; undefined for all. */
  readonly select: readonly string[] | undefined;
}

/** Where the next page begins, as the service has said. */
export interface Continuation {
  readonly partition: string;
  readonly row: string | undefined;
}

/** A page of entities. */
export interface EntityPage {
  readonly entities: readonly Entity[];
  readonly next: Continuation | undefined;
  /** The `x-ms-request-id` of the answer, by which the journal knows the request. */
  readonly requestId: string;
}

/** A request of the page to the service. */
interface Ask {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'MERGE' | 'DELETE';
  readonly body?: string;
  readonly contentType?: string;
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What lets a request in: the signature of the session, or a token of the identity that is chosen. */
interface Credential {
  /** Is sent in the query; empty with a token. */
  readonly signature: string;
  /** Is sent in a header, never in an address. */
  readonly token: string | undefined;
}

/**
 * The codes by which the service rejects a credential that has ended: a signature at a storage account and at Cosmos DB, and
 * a token, as one of a server that has restarted since.
 */
const endedCodes: ReadonlySet<string> = new Set(['AuthenticationFailed', 'Forbidden', 'InvalidAuthenticationInfo']);

/**
 * Sends a request to the account that is shown: with the rights of the identity that is chosen, else with the signature of the
 * session. `path` is below the account. If the credential has ended, as when someone has moved the clock of the server, it gets
 * a new one and sends the request once more. Errors: ServiceError; ControlError if there is no token; TypeError if the server
 * cannot be reached.
 */
async function askService(path: string, ask: Ask = {}): Promise<Response> {
  const name = account.value?.name ?? '-';
  const identity = reader.value;
  const first = identity === undefined ? { signature: signatureOf(name), token: undefined } : await tokenFor(identity);
  try {
    return await send(name, first, path, ask);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The file of identities has changed since the session began.
    if (error.code === 'KeyBasedAuthenticationNotPermitted' && !areKeysRefused.value) await renewSession();
    if (!endedCodes.has(error.code)) throw error;
    const renewed = identity === undefined ? await renewSignature(name, first) : await renewToken(identity, first);
    if (renewed === undefined) throw error;
    // The service has refused the request before it did anything, so a write can be repeated, too.
    return send(name, renewed, path, ask);
  }
}

let renewal: Promise<void> | undefined;

/** Returns the signature that replaces one that has ended; undefined if there is no other. Requests at once share the question. */
async function renewSignature(name: string, { signature: ended }: Credential): Promise<Credential | undefined> {
  if (signatureOf(name) === ended) {
    renewal ??= renewSession().finally(() => (renewal = undefined));
    await renewal;
  }
  return signatureOf(name) === ended ? undefined : { signature: signatureOf(name), token: undefined };
}

function renewToken(identity: string, { token: ended }: Credential): Promise<Credential> {
  forgetToken(identity, ended);
  return tokenFor(identity);
}

async function tokenFor(identity: string): Promise<Credential> {
  return { signature: '', token: await tokenOf(identity) };
}

function signatureOf(name: string): string {
  return session.value?.accounts.find((one) => one.name === name)?.sas ?? '';
}

async function send(
  name: string,
  { signature, token }: Credential,
  path: string,
  { method = 'GET', body, contentType, ifMatch, signal }: Ask,
): Promise<Response> {
  const query = signature === '' ? '' : `${path.includes('?') ? '&' : '?'}${signature}`;
  const answer = await fetch(`/${name}${path}${query}`, {
    method,
    headers: {
      ...ownHeaders,
      Accept: 'application/json;odata=minimalmetadata',
      'x-ms-version': newestVersion,
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': contentType ?? 'application/json' }),
      ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });
  if (answer.ok) return answer;
  throw readFault(answer.status, await answer.text(), answer.headers.get('x-ms-request-id') ?? undefined);
}

/** Reads an error of the service. */
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
    return new ServiceError(status, 'Unknown', `The server answered with status ${status}.`, requestId);
  }
}

/** Returns the path of an entity. */
function entityPath(table: string, { partitionKey, rowKey }: EntityKeys): string {
  const key = (text: string) => encodeURIComponent(text.replaceAll("'", "''").toWellFormed());
  return `/${table}(PartitionKey='${key(partitionKey)}',RowKey='${key(rowKey)}')`;
}

/** Returns the query of a page, without its continuation. The keys and the Timestamp are always selected. */
export function queryOf({ filter, select }: PageWish): URLSearchParams {
  const query = new URLSearchParams();
  if (filter !== '') query.set('$filter', filter);
  if (select) query.set('$select', [...new Set(['PartitionKey', 'RowKey', 'Timestamp', ...select])].join(','));
  return query;
}

/** Reads one page of entities, up to 1,000. */
export async function readPage(
  table: string,
  wish: PageWish,
  from?: Continuation,
  signal?: AbortSignal,
): Promise<EntityPage> {
  const query = queryOf(wish);
  if (from) query.set('NextPartitionKey', from.partition);
  if (from?.row !== undefined) query.set('NextRowKey', from.row);
  // A space must be %20: the service takes a plus sign as it is.
  const answer = await askService(`/${table}()?${query.toString().replaceAll('+', '%20')}`, { signal });
  const { value } = parseServiceJson(await answer.text()) as { readonly value: readonly object[] };
  const partition = answer.headers.get('x-ms-continuation-NextPartitionKey');
  return {
    entities: value.map((row) => readEntity(row)),
    next:
      partition === null
        ? undefined
        : { partition, row: answer.headers.get('x-ms-continuation-NextRowKey') ?? undefined },
    requestId: answer.headers.get('x-ms-request-id') ?? '',
  };
}

/** Reads one entity. Errors: ServiceError, as ResourceNotFound. */
export async function readOne(table: string, keys: EntityKeys): Promise<Entity> {
  const answer = await askService(entityPath(table, keys));
  return readEntity(parseServiceJson(await answer.text()) as object, answer.headers.get('etag') ?? '');
}

/** Inserts an entity. Errors: ServiceError, as EntityAlreadyExists. */
export async function insertEntity(
  table: string,
  keys: EntityKeys,
  properties: ReadonlyMap<string, Value>,
): Promise<void> {
  await askService(`/${table}`, { method: 'POST', body: writeBody(properties, keys) });
}

/** Changes an entity that has this ETag; `*` for any. Errors: ServiceError, as UpdateConditionNotSatisfied. */
export async function changeEntity(
  table: string,
  keys: EntityKeys,
  {
    how,
    properties,
    etag,
  }: { readonly how: 'merge' | 'replace'; readonly properties: ReadonlyMap<string, Value>; readonly etag: string },
): Promise<void> {
  // Not PATCH, which Cosmos DB refuses.
  const method = how === 'merge' ? 'MERGE' : 'PUT';
  await askService(entityPath(table, keys), { method, body: writeBody(properties, keys), ifMatch: etag });
}

/** Lists the names of the tables. Errors: ServiceError. */
export async function listTableNames(): Promise<readonly string[]> {
  const names: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const answer: Response = await askService(
      next === '' ? '/Tables' : `/Tables?NextTableName=${encodeURIComponent(next)}`,
    );
    const { value } = parseServiceJson(await answer.text()) as { readonly value: readonly { TableName: string }[] };
    names.push(...value.map(({ TableName }) => TableName));
    next = answer.headers.get('x-ms-continuation-NextTableName');
  }
  return names;
}

/** Creates a table. Errors: ServiceError, as TableAlreadyExists. */
export async function createTable(name: string): Promise<void> {
  await askService('/Tables', { method: 'POST', body: JSON.stringify({ TableName: name }) });
}

/** Deletes a table with all that is in it. */
export async function deleteTable(name: string): Promise<void> {
  await askService(`/Tables('${name}')`, { method: 'DELETE' });
}
