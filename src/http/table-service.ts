import { type Address, parseAddress, parseResource } from '../address/parse-address.js';
import { authenticate } from '../auth/authenticate.js';
import { type AccountKeys, readAccountKeys } from '../auth/shared-key.js';
import { commitWrites } from '../operations/commit-writes.js';
import type { Answer, OperationRequest } from '../operations/operation.js';
import type { OperationRow } from '../operations/operation-table.js';
import type { Account } from '../protocol/accounts.js';
import { TableError } from '../protocol/errors.js';
import { isVersion } from '../protocol/versions.js';
import type { TableStore } from '../store/store.js';
import { answerBatch } from './batch-service.js';
import { type Exchange, header } from './exchange.js';
import { checkContentType } from './negotiate.js';
import { readBody } from './read-body.js';
import { readOperation } from './read-operation.js';

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
    const head = { method: request.method ?? '', header: (name: string) => header(request, name) };
    const { row, request: asked } = readOperation(head, resource, address, exchange.version);
    exchange.operation = row.operation.name;
    exchange.level = asked.level;
    exchange.prefer = asked.prefer;
    return this.#run(exchange, row, { ...asked, body: await this.#readBody(exchange, row), signal: undefined });
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

  async #run({ request, requestId }: Exchange, { operation }: OperationRow, asked: OperationRequest): Promise<Answer> {
    switch (operation.kind) {
      case 'write': {
        const [answer] = await commitWrites(this.#store, [{ operation, request: asked }]);
        if (!answer) throw new Error('one write has one answer');
        return answer;
      }
      case 'batch': {
        const contentType = header(request, 'content-type');
        return { status: 202, multipart: await answerBatch(this.#store, { request: asked, contentType, requestId }) };
      }
      default:
        return operation.run(asked, this.#store);
    }
  }
}

function checkVersion({ namedVersion }: Exchange): void {
  if (namedVersion !== undefined && !isVersion(namedVersion)) throw new TableError('InvalidHeaderValue');
}

function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}
