import {
  AzureNamedKeyCredential,
  type AzureSASCredential,
  TableClient,
  type TableServiceClientOptions,
} from '@azure/data-tables';
import { onTestFinished, vi } from 'vitest';
import type { Finding } from '../../../src/insight/coach/finding.js';
import { queryClassNames } from '../../../src/insight/queries/query-classes.js';
import { startTabularium } from '../../../src/library/start-tabularium.js';
import type { Tabularium } from '../../../src/library/tabularium.js';
import { encodeToken } from '../../../src/query/continuation-token.js';
import type { Cost } from '../docs/pattern-page.js';
import { CuttingProxy } from './cutting-proxy.js';

/** A way to a table that can be cut. */
export interface CuttableTable {
  readonly table: TableClient;
  /** Lets some requests pass. No later one reaches the server, until `repair`. */
  cutAfter(requests: number): void;
  /** Lets some requests pass. Later ones reach the server, and their answers are lost, until `repair`. */
  loseAnswersAfter(requests: number): void;
  repair(): void;
}

/** What the SDK calls before each request. */
type SendRequest = NonNullable<TableServiceClientOptions['additionalPolicies']>[number]['policy']['sendRequest'];

const passOn: SendRequest = (request, next) => next(request);

/** How a client differs from one that has the key and sends what it is asked to send. */
interface ClientOptions {
  readonly credential?: AzureNamedKeyCredential | AzureSASCredential;
  readonly send?: SendRequest;
}

/** When every example begins. */
const startOfTime = Date.UTC(2026, 10, 2, 9);

/** How long a request takes. Time moves with requests alone, so no example depends on the speed of the machine. */
const requestMs = 5;

const key = Buffer.from('the key of an account that lives for one example').toString('base64');

/** A Tabularium for one example, with an account of its own, and a clock that the example moves. */
export class ExampleServer implements AsyncDisposable {
  /** The account, to sign with. */
  readonly credential: AzureNamedKeyCredential;
  readonly #tabularium: Tabularium;
  readonly #proxies: CuttingProxy[] = [];

  private constructor(tabularium: Tabularium, account: string) {
    this.#tabularium = tabularium;
    this.credential = new AzureNamedKeyCredential(account, key);
  }

  /** Starts a server whose account has the name of the example. The clock is real again after the test. */
  static async start(example: string): Promise<ExampleServer> {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: startOfTime });
    onTestFinished(() => void vi.useRealTimers());
    const account = example.replaceAll('-', '').slice(0, 24);
    return new ExampleServer(await startTabularium({ accounts: [{ name: account, keys: [key] }] }), account);
  }

  /** Lets time pass on the clock of the day. The one that times connections stands still. Unit: milliseconds. */
  pass(duration: number): void {
    vi.setSystemTime(Date.now() + duration);
  }

  /** The address of the account's tables. */
  get endpoint(): string {
    return this.#tabularium.endpoint();
  }

  async createTable(name: string): Promise<TableClient> {
    const table = this.#clientAt(this.endpoint, name);
    await table.createTable();
    return table;
  }

  async openCuttable({ tableName }: TableClient): Promise<CuttableTable> {
    const proxy = await CuttingProxy.start(this.#tabularium.port, { request: 0, answer: 0 }, () => 1);
    this.#proxies.push(proxy);
    const endpoint = this.endpoint.replace(`:${this.#tabularium.port}`, `:${proxy.port}`);
    let fault: { left: number; readonly begin: () => void } | undefined;
    const send: SendRequest = (request, next) => {
      if (fault && fault.left-- === 0) fault.begin();
      return next(request);
    };
    const table = this.#clientAt(endpoint, tableName, { send });
    return {
      table,
      cutAfter(requests) {
        fault = { left: requests, begin: () => proxy.reject() };
      },
      loseAnswersAfter(requests) {
        fault = { left: requests, begin: () => proxy.loseAnswers() };
      },
      repair() {
        fault = undefined;
        proxy.goOn();
      },
    };
  }

  /** Opens a table for a client that has a signature and no key. */
  openSigned({ tableName }: TableClient, signature: AzureSASCredential): TableClient {
    return this.#clientAt(this.endpoint, tableName, { credential: signature });
  }

  /** Opens a table whose queries begin with a page without entities, as the cloud may answer. Its token leads to the start. */
  openWithEmptyPage({ tableName }: TableClient): TableClient {
    const send: SendRequest = async (request, next) => {
      if (request.url.includes('NextPartitionKey')) return next(request);
      request.url = request.url.replace(/filter=[^&]*/, `filter=${encodeURIComponent("PartitionKey eq ''")}`);
      const answer = await next(request);
      for (const key of ['PartitionKey', 'RowKey']) answer.headers.set(`x-ms-continuation-Next${key}`, encodeToken(''));
      return answer;
    };
    return this.#clientAt(this.endpoint, tableName, { send });
  }

  /** Runs requests. Returns what they cost, as the journal of the server has them. */
  async measure<T>(mark: string, run: () => Promise<T>): Promise<{ readonly result: T; readonly measured: Cost }> {
    const [last] = await this.#tabularium.requests.list({ limit: 1 });
    await this.#tabularium.mark(mark);
    const result = await run();
    const requests = await this.#tabularium.requests.list({ after: last?.Seq ?? 0, limit: 9999 });
    const reads = requests.filter(({ EntitiesRead }) => EntitiesRead !== undefined);
    const sum = (numbers: readonly (number | undefined)[]) => numbers.reduce<number>((all, one = 0) => all + one, 0);
    const classes = queryClassNames.filter((name) => reads.some(({ Class }) => Class === name));
    const measured: Cost = {
      transactions: requests.length,
      kib: Math.ceil(sum(requests.map((one) => one.RequestBodySize + one.ResponseBodySize)) / 1024),
      ...(reads.length > 0 && {
        class: classes.join(', '),
        read: sum(reads.map(({ EntitiesRead }) => EntitiesRead)),
        returned: sum(reads.map(({ EntitiesReturned }) => EntitiesReturned)),
      }),
    };
    return { result, measured };
  }

  /** Returns what the coach has found. No more requests come. */
  async findings(): Promise<readonly Finding[]> {
    return (await this.#tabularium.coach.show({ ended: true })).findings;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const proxy of this.#proxies) await proxy.stop();
    await this.#tabularium.close();
  }

  #clientAt(endpoint: string, table: string, { credential = this.credential, send = passOn }: ClientOptions = {}) {
    const sendRequest: SendRequest = (request, next) => {
      this.pass(requestMs);
      return send(request, next);
    };
    const options: TableServiceClientOptions = {
      allowInsecureConnection: true,
      retryOptions: { maxRetries: 0 },
      additionalPolicies: [{ position: 'perRetry', policy: { name: 'time passes', sendRequest } }],
    };
    // The SDK has a signature of its own for each kind of credential.
    return credential instanceof AzureNamedKeyCredential
      ? new TableClient(endpoint, table, credential, options)
      : new TableClient(endpoint, table, credential, options);
  }
}
