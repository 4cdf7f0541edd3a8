import { type Address, parseAddress, parseResource } from '../address/parse-address.js';
import { authenticate } from '../auth/authenticate.js';
import { type AccountKeys, readAccountKeys } from '../auth/shared-key.js';
import { commitWrite } from '../operations/commit-writes.js';
import type { Answer, OperationRequest, Prefer } from '../operations/operation.js';
import { findOperation, type OperationRow } from '../operations/operation-table.js';
import type { Account } from '../protocol/accounts.js';
import { TableError } from '../protocol/errors.js';
import { isVersion } from '../protocol/versions.js';
import type { TableStore } from '../store/store.js';
import { type Exchange, header } from './exchange.js';
import { checkContentType, negotiateLevel } from './negotiate.js';
import { readBody } from './read-body.js';

/** What the service answers from. */
export interface TableServiceOptions {
  readonly accounts: readonly Account[];
  readonly store: TableStore;
  /** Milliseconds since 1970; for the age of signatures. */
  readonly now: () => number;
}

/**
 * The service: from a request to an answer, or to a TableError.
 *
 * The order of the lines is the order in which the service checks things. Source: checks-order, section 2.
 */
export class TableService {
  readonly #store: TableStore;
  readonly #now: () => number;
  readonly #keys: ReadonlyMap<string, AccountKeys>;
  readonly #accounts: ReadonlySet<string>;

  constructor({ accounts, store, now }: TableServiceOptions) {
    this.#store = store;
    this.#now = now;
    this.#keys = new Map(accounts.map(({ name, keys }) => [name, readAccountKeys(keys)]));
    this.#accounts = new Set(this.#keys.keys());
  }

  /** Answers one request. Errors: any code of the catalogue. */
  async answer(exchange: Exchange): Promise<Answer> {
    checkVersion(exchange);
    const address = this.#readAddress(exchange);
    this.#authenticate(exchange, address);
    const { request } = exchange;
    if (address.secondary && !isRead(request.method)) throw new TableError('InsufficientAccountPermissions');
    const resource = parseResource(address.resourcePath);
    const row = findOperation(resource, effectiveMethod(exchange), address.query);
    exchange.operation = row.operation.name;
    checkTimeout(address);
    const strict = row.answers === 'json';
    exchange.level = negotiateLevel(address.query.get('$format'), exchange.accept, exchange.version, strict);
    const prefer = request.method === 'POST' ? readPrefer(header(request, 'prefer')) : undefined;
    exchange.prefer = prefer;
    return this.#run(row, {
      account: address.account,
      resource,
      query: address.query,
      base: address.base,
      version: exchange.version,
      level: exchange.level,
      prefer,
      ifMatch: header(request, 'if-match'),
      ifNoneMatch: header(request, 'if-none-match'),
      body: await this.#readBody(exchange, row),
      signal: undefined,
    });
  }

  #readAddress({ request }: Exchange): Address {
    const { socket, url = '/' } = request;
    const scheme = 'encrypted' in socket && socket.encrypted ? 'https' : 'http';
    const host = header(request, 'host') || `${socket.localAddress}:${socket.localPort}`;
    return parseAddress({ url, host, scheme }, this.#accounts);
  }

  #authenticate({ request, namedVersion }: Exchange, address: Address): void {
    authenticate(
      {
        authorization: header(request, 'authorization'),
        version: namedVersion,
        method: request.method ?? '',
        address,
        contentMd5: header(request, 'content-md5') ?? '',
        contentType: header(request, 'content-type') ?? '',
        date: header(request, 'date'),
        msDate: header(request, 'x-ms-date'),
      },
      this.#keys.get(address.account) ?? [],
      this.#now(),
    );
  }

  async #readBody({ request }: Exchange, { takes }: OperationRow): Promise<string> {
    if (takes === undefined) return '';
    const body = await readBody(request);
    checkContentType(header(request, 'content-type'), takes);
    return body;
  }

  #run({ operation }: OperationRow, request: OperationRequest): Answer | Promise<Answer> {
    if (operation.kind === 'write') return commitWrite(this.#store, { operation, request });
    return operation.run(request, this.#store);
  }
}

function checkVersion({ namedVersion }: Exchange): void {
  if (namedVersion !== undefined && !isVersion(namedVersion)) throw new TableError('InvalidHeaderValue');
}

function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/**
 * The verb that counts: a POST may carry another one.
 * Errors: XMethodNotUsingPost, XMethodIncorrectCount, XMethodIncorrectValue. Source: operations 8.11.
 */
function effectiveMethod({ request }: Exchange): string {
  const method = request.method ?? '';
  const tunnelled = header(request, 'x-http-method');
  if (tunnelled === undefined) return method;
  if (method !== 'POST') throw new TableError('XMethodNotUsingPost');
  // Node joins a repeated header with a comma.
  if (tunnelled.includes(',')) throw new TableError('XMethodIncorrectCount');
  const verb = tunnelled.trim().toUpperCase();
  if (!['MERGE', 'PATCH', 'PUT', 'DELETE'].includes(verb)) throw new TableError('XMethodIncorrectValue');
  return verb;
}

/** Any positive number of seconds will do; more than 30 act as 30. Source: operations, section 3. */
function checkTimeout({ query }: Address): void {
  const timeout = query.get('timeout');
  if (timeout !== undefined && !/^0*[1-9]\d*$/.test(timeout)) throw new TableError('InvalidQueryParameterValue');
}

function readPrefer(prefer: string | undefined): Prefer | undefined {
  const wanted = prefer?.trim().toLowerCase();
  return wanted === 'return-content' || wanted === 'return-no-content' ? wanted : undefined;
}
