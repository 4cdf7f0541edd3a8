import type { IncomingMessage } from 'node:http';
import { type Address, parseAddress, parseResource } from '../address/parse-address.js';
import type { Accounts } from '../auth/accounts.js';
import { authenticate } from '../auth/authenticate.js';
import type { Identity } from '../auth/identity.js';
import { hasSignature, signedVersion } from '../auth/shared-access-signature.js';
import { commitWrites } from '../operations/commit-writes.js';
import type { Answer, OperationRequest } from '../operations/operation.js';
import type { OperationRow } from '../operations/operation-table.js';
import { runOperation } from '../operations/run-operation.js';
import { TableError } from '../protocol/errors.js';
import type { ServiceProperties } from '../protocol/service-properties.js';
import { isVersion } from '../protocol/versions.js';
import type { TableStore } from '../store/store.js';
import { answerBatch } from './batch-service.js';
import { preflightHeaders } from './cors.js';
import { type Exchange, header, schemeOf, servedVersion } from './exchange.js';
import { checkContentType } from './negotiate.js';
import type { OperationGate } from './operation-gate.js';
import { readBody } from './read-body.js';
import { readOperation } from './read-operation.js';

/** What the service answers from. */
export interface TableServiceOptions {
  readonly accounts: Accounts;
  readonly store: TableStore;
  /** Milliseconds since 1970; for the age of signatures. */
  readonly now: () => number;
  /** Whether bearer tokens are taken. */
  readonly bearerTokens: boolean;
  /** Whether an account in the path always comes before one in the host; absent: false. */
  readonly pathFirst?: boolean;
  /** Stands around every operation; absent: none. */
  readonly gate?: OperationGate;
}

/**
 * The service: from a request to an answer, or to a TableError.
 *
 * The order of the lines is the order in which the service checks things. Source: checks-order 2.
 */
export class TableService {
  readonly #store: TableStore;
  readonly #now: () => number;
  readonly #accounts: Accounts;
  readonly #bearerTokens: boolean;
  readonly #pathFirst: boolean;
  readonly #gate: OperationGate | undefined;

  constructor({ accounts, store, now, bearerTokens, pathFirst = false, gate }: TableServiceOptions) {
    this.#gate = gate;
    this.#pathFirst = pathFirst;
    this.#bearerTokens = bearerTokens;
    this.#store = store;
    this.#now = now;
    this.#accounts = accounts;
  }

  /** Answers one request. Errors: any code of the catalogue. */
  async answer(exchange: Exchange): Promise<Answer> {
    const { request } = exchange;
    checkVersion(exchange);
    checkLength(request);
    const address = this.#readAddress(exchange);
    exchange.account = address.account;
    exchange.speaksXml = address.query.has('comp');
    if (hasSignature(address.query) && header(request, 'authorization') === undefined) {
      exchange.namedVersion = signedVersion(address.query, exchange.namedVersion);
      checkVersion(exchange);
      exchange.version = servedVersion(exchange.namedVersion);
    }
    const settings = this.#store.readServiceProperties(address.account);
    if (request.method === 'OPTIONS') {
      exchange.corsRules = (await settings).cors;
      return { status: 200, plain: true, preflight: preflightHeaders(request, exchange.corsRules) };
    }
    if (settings instanceof Promise) return withSettings(exchange, settings, this.#serve(exchange, address));
    exchange.corsRules = settings.cors;
    return this.#serve(exchange, address);
  }

  /** Answers a request that is not a preflight, once its address is known. */
  async #serve(exchange: Exchange, address: Address): Promise<Answer> {
    const { request } = exchange;
    const identity = await this.#authenticate(exchange, address);
    if (address.secondary && !mayRead(request.method, address)) throw new TableError('InsufficientAccountPermissions');
    const resource = parseResource(address.resourcePath);
    exchange.resource = resource;
    const isGone = () => exchange.response.destroyed;
    const head = { method: request.method ?? '', header: (name: string) => header(request, name) };
    const { row, request: asked } = readOperation(head, resource, { ...address, identity, isGone }, exchange.version);
    exchange.operation = row.operation.name;
    exchange.level = asked.level;
    exchange.prefer = asked.prefer;
    const body = await this.#readBody(exchange, row);
    const whole = { ...asked, body };
    if (this.#gate === undefined) return this.#run(exchange, row, whole);
    return this.#gate(exchange, () => this.#run(exchange, row, whole));
  }

  #readAddress({ request }: Exchange): Address {
    const { socket, url = '/' } = request;
    const host = header(request, 'host') || `${socket.localAddress}:${socket.localPort}`;
    return parseAddress({ url, host, scheme: schemeOf(request) }, this.#accounts.names, this.#pathFirst);
  }

  #authenticate({ request, namedVersion }: Exchange, address: Address): Identity | Promise<Identity> {
    const { account } = address;
    return authenticate(
      {
        authorization: header(request, 'authorization'),
        version: namedVersion,
        method: request.method ?? '',
        address,
        contentMd5: header(request, 'content-md5') ?? '',
        contentType: header(request, 'content-type') ?? '',
        date: header(request, 'date'),
        msDate: header(request, 'x-ms-date'),
        scheme: schemeOf(request),
        caller: request.socket.remoteAddress ?? '',
      },
      {
        keys: this.#accounts.keysOf(account),
        now: this.#now(),
        bearerTokens: this.#bearerTokens,
        policies: (table) => this.#store.openTable(account, table).readAccessPolicies(),
      },
    );
  }

  async #readBody({ request }: Exchange, { takes }: OperationRow): Promise<string> {
    if (takes === undefined) return '';
    const body = await readBody(request, takes === 'xml' ? 'InvalidXmlDocument' : 'InvalidInput');
    checkContentType(header(request, 'content-type'), takes);
    return body;
  }

  async #run(
    { request, requestId, dialect }: Exchange,
    { operation }: OperationRow,
    asked: OperationRequest,
  ): Promise<Answer> {
    switch (operation.kind) {
      case 'write': {
        const [answer] = await commitWrites(this.#store, [{ operation, request: asked }]);
        if (!answer) throw new Error('one write has one answer');
        return answer;
      }
      case 'batch': {
        const contentType = header(request, 'content-type');
        return {
          status: 202,
          multipart: await answerBatch(this.#store, { request: asked, contentType, requestId, dialect }),
        };
      }
      default:
        return runOperation(this.#store, operation, asked);
    }
  }
}

/**
 * Returns an answer when the settings of the account are known, too. Only its headers need them, so an engine that is
 * asked over a network reads both at the same time.
 */
async function withSettings(
  exchange: Exchange,
  settings: Promise<ServiceProperties>,
  answer: Promise<Answer>,
): Promise<Answer> {
  const [found] = await Promise.allSettled([settings, answer]);
  if (found.status === 'rejected') throw found.reason;
  exchange.corsRules = found.value.cors;
  return answer;
}

function checkVersion({ namedVersion }: Exchange): void {
  if (namedVersion !== undefined && !isVersion(namedVersion)) throw new TableError('InvalidHeaderValue');
}

/**
 * Checks that a request whose verb has a body says where that ends. Without a length or chunks it has none, and the
 * HTTP layer of the service refuses it. Errors: MissingContentLengthHeader. Source: operations 3.
 */
function checkLength({ method, headers }: IncomingMessage): void {
  if (method !== 'POST' && method !== 'PUT') return;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    throw new TableError('MissingContentLengthHeader');
  }
}

/** Whether a request can be a read: by its verb, or as a batch, which says so only in its body. */
function mayRead(method: string | undefined, { resourcePath }: Address): boolean {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return true;
  if (method !== 'POST') return false;
  try {
    return parseResource(resourcePath).kind === 'batch';
  } catch {
    return false;
  }
}
