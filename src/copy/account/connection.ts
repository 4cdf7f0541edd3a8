import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, EnvHttpProxyAgent, request } from 'undici';
import { redactSecrets } from '../../protocol/redact-secrets.js';
import { protocolVersions, signatureVersions } from '../../protocol/versions.js';
import { CopyFault } from '../ends/end.js';
import type { Credential } from './credential.js';
import { Gate } from './gate.js';
import { type Answer, backOff, busyStatuses, codeOf, messageOf, pauseAfter, retriedStatuses } from './retry.js';

/** A request. `path` begins after the endpoint, percent-encoded. */
export interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly query?: string;
  readonly comp?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Reads a successful answer. A SyntaxError means that it was cut off, and the request is sent again. */
  readonly check?: (text: string) => void;
}

/** How a connection behaves. */
export interface ConnectionOptions {
  /** Most requests in flight. */
  readonly transfers: number;
  /** Tries for a request that fails. */
  readonly tries: number;
  readonly signal?: AbortSignal | undefined;
  /** The variables that name a proxy. */
  readonly environment: NodeJS.ProcessEnv;
}

/** The error of a service that a copy cannot continue after. */
export class ServiceRejection extends CopyFault {
  override readonly isMissing: boolean;

  constructor(fault: string, { status, text }: Pick<Answer, 'status' | 'text'>) {
    super(redactSecrets(`${fault}: ${status} ${codeOf(text)} ${messageOf(text)}`.trim()));
    this.isMissing = ['TableNotFound', 'ResourceNotFound'].includes(codeOf(text));
  }
}

/** How long a service may be busy without one answer. Being busy is not a failure while others are answered. Unit: milliseconds. (Our choice.) */
const busyMsMax = 120_000;

/** Tries for a host that has never answered. (Our choice: its name may be wrong.) */
const firstTries = 4;

/** Time limit for the headers of an answer, and for a pause in its body. Unit: milliseconds. (Our choice.) */
const answerMs = 60_000;

/** Least difference of clocks after which a rejected request is sent with the time of the service. Unit: milliseconds. (Our choice.) */
const skewMsMin = 60_000;

/** Sends requests to one account, again and again until there is an answer. */
export class Connection {
  /** The scheme, host and port. */
  readonly origin: string;
  /** The path of the endpoint, without a slash at its end. */
  readonly basePath: string;
  readonly gate: Gate;
  /** The `Server` header of the last answer. */
  server = '';
  readonly #credential: Credential;
  readonly #agent: Agent | EnvHttpProxyAgent;
  readonly #tries: number;
  readonly #signal: AbortSignal | undefined;
  #answeredAt: number | undefined;
  /** How far the clock of the service is ahead. Unit: milliseconds. */
  #skew = 0;

  constructor(endpoint: string, credential: Credential, { transfers, tries, signal, environment }: ConnectionOptions) {
    const { origin, pathname, hostname } = new URL(endpoint);
    this.origin = origin;
    this.basePath = pathname.replace(/\/+$/, '');
    this.#credential = credential;
    this.#tries = tries;
    this.#signal = signal;
    this.gate = new Gate(transfers);
    const settings = { connections: transfers, headersTimeout: answerMs, bodyTimeout: answerMs };
    const proxies = proxiesOf(environment);
    const isLocal = /^(?:localhost|127\.|\[::1\])/.test(hostname);
    this.#agent = isLocal || !proxies ? new Agent(settings) : new EnvHttpProxyAgent({ ...settings, ...proxies });
  }

  /** The address of the account, without secrets. */
  get name(): string {
    return this.origin.replace(/^https?:\/\//, '') + this.basePath;
  }

  /** Sends a request. Errors: CopyFault after the last try; the reason of the signal. */
  async send(sent: Sent): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      this.#signal?.throwIfAborted();
      const { answer, fault, isBusy, pauseMs } = await this.#try(sent, attempt);
      if (answer) return answer;
      const tries = this.#answeredAt === undefined ? Math.min(this.#tries, firstTries) : this.#tries;
      const mayWait = isBusy && Date.now() - (this.#answeredAt ?? 0) < busyMsMax;
      if (attempt + 1 >= tries && !mayWait)
        throw new CopyFault(redactSecrets(`${this.name} did not answer after ${tries} tries. The last one: ${fault}`));
      await sleep(pauseMs, undefined, { ...(this.#signal && { signal: this.#signal }) });
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #try(sent: Sent, attempt: number): Promise<Try> {
    try {
      const answer = await this.gate.run(() => this.#sendOnce(sent));
      if (attempt < 2 && this.#adoptClock(answer)) return { fault: 'clock', isBusy: false, pauseMs: 0 };
      if (!retriedStatuses.has(answer.status)) {
        if (answer.status < 300) sent.check?.(answer.text);
        // Part of an error does not tell which one it is.
        else if (answer.text.startsWith('{')) JSON.parse(answer.text);
        this.gate.faster();
        this.#answeredAt = Date.now();
        if (typeof answer.headers['server'] === 'string') this.server = answer.headers['server'];
        return { answer, fault: '', isBusy: false, pauseMs: 0 };
      }
      const isBusy = busyStatuses.has(answer.status);
      if (isBusy) {
        this.gate.slower();
        this.#answeredAt ??= Date.now();
      }
      const pauseMs = Math.max(pauseAfter(answer, attempt), isBusy ? backOff(Math.min(attempt, 6)) : 0);
      return { fault: `${answer.status} ${codeOf(answer.text)}`, isBusy, pauseMs };
    } catch (error) {
      if (this.#signal?.aborted) throw this.#signal.reason;
      const { code = '', message } = error as Error & { code?: string };
      if (/CERT|SELF_SIGNED|^UNABLE_TO/.test(code)) {
        const fix = 'If you trust it, set NODE_EXTRA_CA_CERTS to its certificate.';
        throw new CopyFault(`The certificate of ${this.name} is not trusted: ${code}. ${fix}`);
      }
      if (code === '' && !(error instanceof SyntaxError)) throw error;
      return { fault: code || message, isBusy: false, pauseMs: backOff(attempt) };
    }
  }

  async #sendOnce({ method, path, query = '', comp, headers = {}, body }: Sent): Promise<Answer> {
    const date = new Date(Date.now() + this.#skew).toUTCString();
    const whole = this.basePath + path;
    const authorization = await this.#credential.authorize(whole, comp, date);
    const search = [query, comp === undefined ? '' : `comp=${comp}`, this.#credential.query].filter(Boolean).join('&');
    const answer = await request(`${this.origin}${whole}${search === '' ? '' : `?${search}`}`, {
      dispatcher: this.#agent,
      method,
      headers: {
        'x-ms-date': date,
        'x-ms-version': this.#credential.isToken ? protocolVersions.policiesByToken : signatureVersions.default,
        accept: 'application/json;odata=minimalmetadata',
        dataserviceversion: '3.0;',
        maxdataserviceversion: '3.0;NetFx',
        ...headers,
        ...(authorization !== undefined && { authorization }),
      },
      ...(body !== undefined && { body }),
      ...(this.#signal && { signal: this.#signal }),
    });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  }

  /** Adopts the service's time if ours may be the reason for a rejection. Returns whether to try again. */
  #adoptClock({ status, headers }: Answer): boolean {
    if (status !== 403 || typeof headers['date'] !== 'string') return false;
    const skew = Date.parse(headers['date']) - Date.now();
    if (!(Math.abs(skew - this.#skew) > skewMsMin)) return false;
    this.#skew = skew;
    return true;
  }
}

/** One try: its answer, or its fault and the pause before the next one. */
interface Try {
  readonly answer?: Answer;
  readonly fault: string;
  readonly isBusy: boolean;
  readonly pauseMs: number;
}

/** Returns the proxies that variables name, in either letter case; undefined if there are none. */
function proxiesOf(environment: NodeJS.ProcessEnv): EnvHttpProxyAgent.Options | undefined {
  const http = environment['http_proxy'] ?? environment['HTTP_PROXY'];
  const https = environment['https_proxy'] ?? environment['HTTPS_PROXY'];
  const no = environment['no_proxy'] ?? environment['NO_PROXY'];
  if (!http && !https) return undefined;
  return { ...(http && { httpProxy: http }), ...(https && { httpsProxy: https }), ...(no && { noProxy: no }) };
}
