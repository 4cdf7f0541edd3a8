import {
  type Address,
  isUnknownAccount,
  parseAddress,
  parseResource,
  unknownAccount,
} from '../address/parse-address.js';
import type { Accounts } from '../auth/accounts.js';
import { authenticate } from '../auth/authenticate.js';
import type { Identity } from '../auth/identity.js';
import { hasSignature, signedVersion } from '../auth/shared-access-signature.js';
import type { TokenAuthority } from '../auth/token-authority.js';
import type { Dialect } from '../dialects/dialect.js';
import { storageDialect } from '../dialects/storage/storage-dialect.js';
import { commitWrite } from '../operations/commit-writes.js';
import { RequestTables } from '../operations/request-tables.js';
import { runOperation } from '../operations/run-operation.js';
import { headersOf } from '../protocol/header-fields.js';
import type { ServiceProperties } from '../protocol/service-properties.js';
import { turnForLongWork } from '../store/event-loop-turn.js';
import type { Eventual, TableStore } from '../store/store.js';
import { StoreUnavailable } from '../store/store-unavailable.js';
import { readAddressed } from './addressed-entities.js';
import { answerBatch, longText } from './batch/batch-service.js';
import { checkLength, checkReadOnly, checkUnbounded, checkVersion } from './check-request.js';
import { answerPreflight, dependsOnRules } from './cors.js';
import { type Exchange, servedVersion } from './exchange.js';
import { notInService } from './not-in-service.js';
import type { OperationGate } from './operation-gate.js';
import { type RequestContext, type RequestedOperation, readOperation } from './read-operation.js';
import { noSentBody, readSentBody, type SentBody } from './sent-body.js';
import type { PreflightAnswer, ServiceAnswer } from './service-answer.js';

/** The parts and the settings of the service. */
export interface TableServiceOptions {
  readonly accounts: Accounts;
  readonly store: TableStore;
  /** Milliseconds since 1970; for the age of signatures. */
  readonly now: () => number;
  /** The same for the age of Shared Key requests and bearer tokens, which no test clock moves; absent: `now`. */
  readonly realNow?: () => number;
  /** Whether bearer tokens are accepted. */
  readonly bearerTokens: boolean;
  /** Verifies bearer tokens; absent: there are no identities. */
  readonly tokens?: TokenAuthority | undefined;
  /** Whether the account in the path always has priority over the one in the host; absent: false. */
  readonly pathFirst?: boolean;
  /** How the service reads requests and writes answers; absent: as storage accounts do. */
  readonly dialect?: Dialect;
  /** Runs around every operation; absent: none. */
  readonly gate?: OperationGate;
  /** Adds accounts that other servers have made to `accounts`; absent: there are no other servers. */
  readonly findAccounts?: (() => Promise<void>) | undefined;
}

/**
 * The Table service: turns a request into an answer, or throws a TableError.
 *
 * The order of the statements is the order in which the service makes its checks. Source: checks-order 2.
 */
export class TableService {
  readonly dialect: Dialect;
  readonly #store: TableStore;
  /** Returns the time by which answers are dated. Unit: milliseconds since 1970. */
  readonly now: () => number;
  readonly #realNow: () => number;
  readonly #accounts: Accounts;
  readonly #names: ReadonlySet<string>;
  readonly #bearerTokens: boolean;
  readonly #tokens: TokenAuthority | undefined;
  readonly #pathFirst: boolean;
  readonly #gate: OperationGate | undefined;
  readonly #findAccounts: (() => Promise<void>) | undefined;

  constructor(options: TableServiceOptions) {
    const { accounts, store, now, realNow = now, bearerTokens, tokens } = options;
    const { pathFirst = false, dialect = storageDialect, gate, findAccounts } = options;
    this.dialect = dialect;
    this.#names = accounts.namesOf(dialect.name);
    this.#gate = gate;
    this.#findAccounts = findAccounts;
    this.#pathFirst = pathFirst;
    this.#bearerTokens = bearerTokens;
    this.#tokens = dialect.requests.hasTableRoles ? tokens : undefined;
    this.#store = store;
    this.now = now;
    this.#realNow = realNow;
    this.#accounts = accounts;
  }

  /** Answers one request. Errors, thrown or rejected with: any code of the catalogue. */
  answer(exchange: Exchange): Promise<ServiceAnswer> {
    const { request } = exchange;
    if (this.dialect.requests.isVersioned) checkVersion(exchange);
    checkLength(request);
    let address: Address;
    try {
      address = this.#readAddress(exchange);
    } catch (error) {
      if (!this.#findAccounts || !isUnknownAccount(error)) throw error;
      return this.#findAccounts().then(() => this.#answerAt(exchange, this.#readAddress(exchange)));
    }
    return this.#answerAt(exchange, address);
  }

  /** Answers a request whose address is known. */
  #answerAt(exchange: Exchange, address: Address): Promise<ServiceAnswer> {
    const { request } = exchange;
    const { requests } = this.dialect;
    exchange.account = address.account;
    const comp = address.query.get('comp');
    exchange.speaksXml = comp !== undefined;
    const refusal = comp === undefined ? undefined : requests.refusalOfComp(comp);
    if (refusal) throw notInService(refusal, 'comp');
    if (requests.isVersioned && hasSignature(address.query) && headersOf(request)['authorization'] === undefined) {
      exchange.namedVersion = signedVersion(address.query, exchange.namedVersion);
      checkVersion(exchange);
      exchange.version = servedVersion(exchange.namedVersion);
    }
    // Settings of an account that another server may remove are always read.
    const mayEnd = this.#findAccounts !== undefined && this.#accounts.isAdded(address.account);
    const hasRules = requests.hasCors && dependsOnRules(request);
    if (!mayEnd && !hasRules) return this.#serve(exchange, address);
    const settings = this.#store.readServiceProperties(address.account);
    if (hasRules && request.method === 'OPTIONS') return preflight(exchange, settings);
    if (settings instanceof Promise) {
      return this.#withSettings(exchange, address, settings, this.#serve(exchange, address));
    }
    exchange.corsRules = settings.cors;
    return this.#serve(exchange, address);
  }

  /**
   * Resolves to an answer when the settings of the account are read, too. Only the headers of the answer need them, so an
   * engine on a network reads both at the same time. The read also finds out that another server has removed the account.
   */
  async #withSettings(
    exchange: Exchange,
    { account }: Address,
    settings: Promise<ServiceProperties>,
    answer: Promise<ServiceAnswer>,
  ): Promise<ServiceAnswer> {
    const [found] = await Promise.allSettled([settings, answer]);
    if (found.status === 'fulfilled') exchange.corsRules = found.value.cors;
    // A database that went away does not tell whether the operation was done before. Only the answer does.
    else if (!(found.reason instanceof StoreUnavailable)) throw found.reason;
    if (!this.#names.has(account)) throw unknownAccount(this.#names);
    return answer;
  }

  /** Answers a request that is not a preflight request, after its address is known. */
  async #serve(exchange: Exchange, address: Address): Promise<ServiceAnswer> {
    const { request, version, isGone } = exchange;
    const { account, base, secondary, query } = address;
    const tables = new RequestTables(this.#store, account, exchange, this.dialect.operations.foldTableName);
    // What is known at once is not awaited, because each wait is another turn of the queue of microtasks.
    const known = this.#authenticate(exchange, address, tables);
    const identity = known instanceof Promise ? await known : known;
    const headers = headersOf(request);
    const head = { method: request.method ?? '', headers };
    this.dialect.requests.checkPath(address.resourcePath, head.method);
    const path = parseResource(address.resourcePath);
    const resource =
      path.kind === 'nested' ? this.dialect.requests.readNestedPath(path, { account, method: head.method }) : path;
    exchange.resource = resource;
    const context = {
      account,
      base,
      secondary,
      headers,
      identity,
      version,
      tables,
      dialect: this.dialect,
      now: this.now,
      isGone,
    };
    const asked = readOperation(head, resource, query, context);
    exchange.operation = asked.row.operation.name;
    exchange.representation = asked.representation;
    if (secondary && this.dialect.requests.hasReadOnlySecondary) checkReadOnly(asked.row);
    if (!this.dialect.requests.hasSignedRanges) checkUnbounded(identity);
    const body =
      asked.row.takes === undefined ? noSentBody : await readSentBody(exchange, asked.row.takes, this.dialect.requests);
    if (this.#gate?.isActive) return this.#passGate(this.#gate, exchange, asked, body, context);
    const answer = this.#run(exchange, asked, body, context);
    return answer instanceof Promise ? await answer : answer;
  }

  async #passGate(
    gate: OperationGate,
    exchange: Exchange,
    asked: RequestedOperation,
    body: SentBody,
    context: RequestContext,
  ): Promise<ServiceAnswer> {
    // The gate may read all of the body, and the operation reads it again.
    const isLong = body.text.length > longText;
    if (isLong) await turnForLongWork();
    const contentType = headersOf(exchange.request)['content-type'];
    const addressed = () => readAddressed({ asked, ...body, contentType, context });
    return gate.pass({ exchange, addressed }, async (wrap) => {
      if (wrap) context.tables.wrapWith(wrap);
      if (isLong) await turnForLongWork();
      return this.#run(exchange, asked, body, context);
    });
  }

  #readAddress({ request, scheme }: Exchange): Address {
    const { socket, url = '/' } = request;
    const host = headersOf(request)['host'] || `${socket.localAddress}:${socket.localPort}`;
    const { hasDefaultAccount } = this.dialect.requests;
    return parseAddress({ url, host, scheme }, this.#names, { pathFirst: this.#pathFirst, hasDefaultAccount });
  }

  #authenticate(
    { request, namedVersion, scheme, caller }: Exchange,
    address: Address,
    tables: RequestTables,
  ): Identity | Promise<Identity> {
    const headers = headersOf(request);
    return authenticate(
      {
        authorization: headers['authorization'],
        version: this.dialect.requests.isVersioned ? namedVersion : undefined,
        method: request.method ?? '',
        address,
        contentMd5: headers['content-md5'] ?? '',
        contentType: headers['content-type'] ?? '',
        date: headers['date'],
        msDate: headers['x-ms-date'],
        scheme,
        caller,
      },
      {
        keys: this.#accounts.keysOf(address.account),
        now: this.now(),
        realNow: this.#realNow(),
        bearerTokens: this.#bearerTokens,
        tokens: this.#tokens,
        policies: (table) => tables.open(table).readAccessPolicies(),
      },
    );
  }

  /** Carries out an operation. */
  #run(
    exchange: Exchange,
    { row: { operation }, request }: RequestedOperation,
    { text, open }: SentBody,
    context: RequestContext,
  ): Eventual<ServiceAnswer> {
    switch (operation.kind) {
      case 'write':
        return commitWrite({ operation, request, body: open(text) }, exchange);
      case 'batch':
        return this.#runBatch(exchange, text, context);
      default:
        return runOperation(this.#store, operation, request, open(text));
    }
  }

  async #runBatch(exchange: Exchange, text: string, context: RequestContext): Promise<ServiceAnswer> {
    const contentType = headersOf(exchange.request)['content-type'];
    const answer = await answerBatch(this.#store, { text, contentType, context });
    if (answer.kind === 'failed-transaction') {
      exchange.failedPart = { operation: answer.operation, refusal: answer.error };
    } else exchange.written = answer.written;
    return answer;
  }
}

/** Answers a preflight request. */
async function preflight(exchange: Exchange, settings: Eventual<ServiceProperties>): Promise<PreflightAnswer> {
  exchange.corsRules = (await settings).cors;
  return answerPreflight(exchange.request, exchange.corsRules);
}
