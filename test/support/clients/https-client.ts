import { Agent, request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type Answer, type JsonObject, readAnswer } from '../answers/answer.js';
import type { RunningService } from '../servers/start-service.js';
import { authorizationOf } from '../signatures/sign-request.js';

/** The differences of a request over HTTPS from the usual one. */
export interface HttpsRequest {
  /** A string is sent unchanged, an object as JSON. */
  readonly body?: string | JsonObject | undefined;
  /** Headers that are added or replace the usual ones, with lower-case names. Undefined removes a usual header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Absent: `shared-key`. `none` sends no `Authorization`; an object is a bearer token. */
  readonly auth?: 'shared-key' | 'none' | { readonly token: string };
  /** The beginning of the path. Absent: `/` and the account. */
  readonly prefix?: string;
  /** The host in the address. The certificate must be valid for it. */
  readonly host?: string;
}

/** Sends requests to a service over HTTPS, and trusts only its certificate. */
export class HttpsClient {
  readonly #service: () => RunningService & { readonly ca: string };
  #agent: Agent | undefined;

  constructor(service: () => RunningService & { readonly ca: string }) {
    this.#service = service;
  }

  /** Sends one request. The path is relative to the account and begins with a slash. */
  send(method: string, path: string, options: HttpsRequest = {}): Promise<Answer> {
    const { url, account, ca } = this.#service();
    const target = `${options.prefix ?? `/${account.name}`}${path}`;
    const body = typeof options.body === 'object' ? JSON.stringify(options.body) : options.body;
    const { hostname, port } = new URL(url);
    const host = options.host ?? hostname;
    const headers = this.#headers(method, target, body, options);
    this.#agent ??= new Agent({ keepAlive: true, ca });
    const agent = this.#agent;
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { agent, hostname: host, port, method, path: target, headers, lookup: loopback },
        (response) => {
          readAnswer(response, { sent: headers, method }).then(resolve, reject);
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  /** Closes the connections. */
  close(): void {
    this.#agent?.destroy();
  }

  #headers(method: string, target: string, body: string | undefined, options: HttpsRequest): Record<string, string> {
    const usual: Record<string, string | undefined> = {
      'x-ms-version': '2019-02-02',
      'x-ms-date': new Date().toUTCString(),
      accept: 'application/json;odata=minimalmetadata',
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }),
      ...options.headers,
    };
    const headers = Object.fromEntries(
      Object.entries(usual).filter((header): header is [string, string] => header[1] !== undefined),
    );
    const { auth = 'shared-key' } = options;
    if (auth === 'none') return headers;
    return {
      ...headers,
      authorization: typeof auth === 'object' ? `Bearer ${auth.token}` : this.#sign(method, target, headers),
    };
  }

  #sign(method: string, target: string, headers: Readonly<Record<string, string>>): string {
    const { account } = this.#service();
    const date = headers['x-ms-date'] ?? '';
    const contentType = headers['content-type'] ?? '';
    return authorizationOf(
      { method, target, date, contentType },
      { scheme: 'SharedKey', account: account.name, key: account.keys[0] ?? '' },
    );
  }
}

/** Resolves every name to this machine, without a name server. */
const loopback: LookupFunction = (_hostname, { all }, callback) => {
  if (all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
};
