import { Agent, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { type Answer, type JsonObject, readAnswer } from '../answers/answer.js';
import type { RunningService } from '../servers/start-service.js';
import { authorizationOf, type SigningScheme } from '../signatures/sign-request.js';

/** The default version of requests. */
export const defaultVersion = '2019-02-02';

/** The differences of a request from the usual one. */
export interface RequestOptions {
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: string | Buffer | JsonObject | undefined;
  /** Headers that are added or replace the usual ones. Undefined removes a usual header. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `x-ms-version`. */
  readonly version?: string;
  /** `Accept`; `false` sends none. */
  readonly accept?: string | false;
  readonly prefer?: 'return-content' | 'return-no-content';
  readonly ifMatch?: string;
  /** Absent: Shared Key. `none` sends no `Authorization`. */
  readonly auth?: SigningScheme | 'none';
  /** Signs with this key in base64. Absent: the first key of the account. */
  readonly key?: string;
  /** Signs this path and query, including the account, instead of those that are sent. */
  readonly signedTarget?: string;
  /** The beginning of the path. Absent: `/` and the account. */
  readonly prefix?: string;
}

/**
 * Sends requests like a plain HTTP client: it sends paths byte for byte, never retries and normalizes nothing.
 * By default requests have Shared Key, version 2019-02-02 and `Accept: application/json;odata=minimalmetadata`.
 */
export class ServiceClient {
  readonly #service: () => RunningService;
  readonly #agent: Agent;
  readonly #secureAgent: SecureAgent;
  /** The tables that requests have created, in their order. */
  readonly #created = new Set<string>();

  /** Calls `service` for each request, so that a client can be created before its service runs. */
  constructor(service: () => RunningService, connectionsMax = 32) {
    this.#service = service;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connectionsMax });
    this.#secureAgent = new SecureAgent({ keepAlive: true, maxSockets: connectionsMax });
  }

  /** Sends one request. The path is relative to the account and begins with a slash. */
  send(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const service = this.#service();
    const target = `${options.prefix ?? service.base.slice(service.url.length)}${path}`;
    const body = bodyOf(options.body);
    const headers = this.#headers(method, target, body, options);
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
    );
    return new Promise((resolve, reject) => {
      const { hostname, port, protocol } = new URL(service.url);
      const [ask, agent] =
        protocol === 'https:' ? [secureRequest, this.#secureAgent] : ([request, this.#agent] as const);
      const outgoing = ask({ agent, hostname, port, method, path: target, headers }, (response) => {
        readAnswer(response, { sent, method }).then((answer) => {
          if (method === 'POST' && path === '/Tables' && answer.status < 300) this.#remember(options.body);
          resolve(answer);
        }, reject);
      });
      outgoing.on('error', reject);
      // Node would send a string together with the headers, and encode the headers as UTF-8 too.
      outgoing.end(body === undefined ? undefined : Buffer.from(body));
    });
  }

  get(path: string, options?: RequestOptions): Promise<Answer> {
    return this.send('GET', path, options);
  }

  post(path: string, body?: RequestOptions['body'], options?: RequestOptions): Promise<Answer> {
    return this.send('POST', path, { ...options, body });
  }

  put(path: string, body?: RequestOptions['body'], options?: RequestOptions): Promise<Answer> {
    return this.send('PUT', path, { ...options, body });
  }

  patch(path: string, body?: RequestOptions['body'], options?: RequestOptions): Promise<Answer> {
    return this.send('PATCH', path, { ...options, body });
  }

  merge(path: string, body?: RequestOptions['body'], options?: RequestOptions): Promise<Answer> {
    return this.send('MERGE', path, { ...options, body });
  }

  delete(path: string, options?: RequestOptions): Promise<Answer> {
    return this.send('DELETE', path, options);
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy();
    this.#secureAgent.destroy();
  }

  /** Deletes the tables that this client has created. One that is gone already is left. */
  async deleteCreatedTables(): Promise<void> {
    for (const table of this.#created) await this.delete(`/Tables('${table}')`);
    this.#created.clear();
  }

  #remember(body: RequestOptions['body']): void {
    const name = /"TableName":\s*"([^"]*)"/.exec(String(bodyOf(body)))?.[1];
    if (name !== undefined) this.#created.add(name);
  }

  #headers(method: string, target: string, body: string | Buffer | undefined, options: RequestOptions) {
    const { accept = 'application/json;odata=minimalmetadata', version = defaultVersion, auth = 'SharedKey' } = options;
    const headers: Record<string, string | string[]> = {};
    const set = (name: string, value: string | readonly string[] | undefined) => {
      if (value !== undefined) headers[name] = typeof value === 'string' ? value : [...value];
    };
    const overridden = new Set(Object.keys(options.headers ?? {}).map((name) => name.toLowerCase()));
    const setUsual = (name: string, value: string | undefined) => {
      if (!overridden.has(name.toLowerCase())) set(name, value);
    };
    setUsual('x-ms-version', version);
    setUsual('x-ms-date', new Date().toUTCString());
    setUsual('Accept', accept === false ? undefined : accept);
    setUsual('Prefer', options.prefer);
    setUsual('If-Match', options.ifMatch);
    if (body !== undefined) {
      setUsual('Content-Type', 'application/json');
      setUsual('Content-Length', String(Buffer.byteLength(body)));
    }
    for (const [name, value] of Object.entries(options.headers ?? {})) set(name, value);
    if (auth !== 'none' && !overridden.has('authorization')) {
      headers['Authorization'] = this.#authorization(auth, method, target, headers, options);
    }
    return headers;
  }

  #authorization(
    scheme: SigningScheme,
    method: string,
    target: string,
    headers: Readonly<Record<string, string | string[]>>,
    { key, signedTarget }: RequestOptions,
  ): string {
    const { account } = this.#service();
    const sentValue = (wanted: string) =>
      String(Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '').trim();
    return authorizationOf(
      {
        method,
        target: signedTarget ?? target,
        date: sentValue('x-ms-date') || sentValue('date'),
        contentType: sentValue('content-type'),
        contentMd5: sentValue('content-md5'),
      },
      { scheme, account: account.name, key: key ?? account.keys[0] ?? '' },
    );
  }
}

/** Appends query options to a path, percent-encoded except `$`. */
export function withQuery(path: string, options: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(options).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${path}?${pairs.join('&')}`;
}

function bodyOf(body: RequestOptions['body']): string | Buffer | undefined {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return body;
  return JSON.stringify(body);
}
