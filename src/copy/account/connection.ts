import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, EnvHttpProxyAgent, request } from 'undici';
import { redactSecrets } from '../../protocol/redact-secrets.js';
import { protocolVersions, signatureVersions } from '../../protocol/versions.js';
import { CopyFault } from '../ends/end.js';
import type { Credential } from './credential.js';
import { Gate } from './gate.js';
import { proxiesOf } from './proxies.js';
import { type Answer, backOff, busyStatuses, codeOf, messageOf, pauseAfter, retriedStatuses } from './retry.js';

/** A request. `path` begins after the endpoint, percent-encoded. */
export interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly query?: string;
  readonly comp?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Most tries after an answer that the service failed, if they are fewer than usual. */
  readonly triesMax?: number | undefined;
  /**
   * Reads a successful answer, and returns the status within it, if that counts. A SyntaxError means that it was cut off, and the request
   * is sent again.
   */
  readonly check?: (text: string) => unknown;
}

/** How a connection behaves. */
export interface ConnectionOptions {
  /** Most requests in flight. */
  readonly transfers: number;
  /** Tries for a request that fails, for tests of failures. */
  readonly tries?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The variables that name a proxy. */
  readonly environment: NodeJS.ProcessEnv;
}

/** The error of a service that a copy cannot continue after. */
export class ServiceRejection extends CopyFault {
  constructor(fault: string, { status, text }: Pick<Answer, 'status' | 'text'>) {
    super(redactSecrets(`${fault}: ${status} ${codeOf(text)} ${messageOf(text)}`.trim()));
  }
}

/** How long a service may be busy without one answer. Being busy is not a failure while others are answered. Unit: milliseconds. (Our choice.) */
const busyMsMax = 120_000;

/** Tries for a request that fails. (Our choice.) */
const usualTries = 10;

/** Tries for a host that has never answered. (Our choice: its name may be wrong.) */
const firstTries = 4;

/** Time limit for the headers of an answer, and for a pause in its body. Unit: milliseconds. (Our choice.) */
const answerMs = 60_000;

/** Least difference of clocks after which a rejected request is sent with the time of the service. Unit: milliseconds. (Our choice.) */
const skewMsMin = 60_000;

/** Sends requests to one account, again and again until there is an answer. */
export class Connection {
  /** The address of the account, without secrets. */
  readonly name: string;
  /** The same with a scheme. */
  readonly endpoint: string;
  readonly gate: Gate;
  /** The `Server` header of the last answer. */
  server = '';
  readonly #basePath: string;
  readonly #credential: Credential;
  readonly #agent: Agent | EnvHttpProxyAgent;
  readonly #options: ConnectionOptions;
  #answeredAt: number | undefined;
  /** How far the clock of the service is ahead. Unit: milliseconds. */
  #skew = 0;

  constructor(endpoint: string, credential: Credential, options: ConnectionOptions) {
    const { origin, host, pathname, hostname } = new URL(endpoint);
    this.#basePath = pathname.replace(/\/+$/, '');
    this.endpoint = origin + this.#basePath;
    this.name = host + this.#basePath;
    this.#credential = credential;
    this.#options = options;
    this.gate = new Gate(options.transfers);
    const settings = { connections: options.transfers, headersTimeout: answerMs, bodyTimeout: answerMs };
    const proxies = proxiesOf(options.environment);
    const isLocal = /^(?:localhost|127\.|\[::1\])/.test(hostname);
    this.#agent = isLocal || !proxies ? new Agent(settings) : new EnvHttpProxyAgent({ ...settings, ...proxies });
  }

  /** Sends a request. Returns the last answer. Errors: CopyFault if there is none; the reason of the signal. */
  async send(sent: Sent): Promise<Answer> {
    const { signal, tries: triesMax = usualTries } = this.#options;
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted();
      const { answer, fault, pauseMs } = await this.#try(sent, attempt);
      if (answer && fault === '') return answer;
      const usual = this.#answeredAt === undefined ? Math.min(triesMax, firstTries) : triesMax;
      const isBusy = answer !== undefined && busyStatuses.has(answer.status);
      const tries = answer && !isBusy ? Math.min(usual, sent.triesMax ?? usual) : usual;
      const mayWait = isBusy && Date.now() - (this.#answeredAt ?? 0) < busyMsMax;
      if (attempt + 1 >= tries && !mayWait) {
        if (answer) return answer;
        throw new CopyFault(redactSecrets(`${this.name} did not answer after ${tries} tries. The last one: ${fault}`));
      }
      await sleep(pauseMs, undefined, { ...(signal && { signal }) });
    }
  }

  /** Sends a request of a document in XML. Returns the one of the answer, without a byte order mark. Errors: ServiceRejection. */
  async sendXml(sent: Omit<Sent, 'method' | 'headers' | 'check'>, fault: string): Promise<string> {
    const answer = await this.send({
      method: sent.body === undefined ? 'GET' : 'PUT',
      ...sent,
      headers: { accept: 'application/xml', ...(sent.body !== undefined && { 'content-type': 'application/xml' }) },
      check(text) {
        if (sent.body === undefined && !/(?:<\/(?:SignedIdentifiers|StorageServiceProperties)>|\/>)\s*$/.test(text))
          throw new SyntaxError('the XML is cut off');
      },
    });
    if (answer.status >= 300) throw new ServiceRejection(fault, answer);
    return answer.text.replace(/^\ufeff/, '');
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  /** Tries once. Returns the answer; a fault if it must be sent again, and the pause before. */
  async #try(sent: Sent, attempt: number): Promise<{ answer?: Answer; fault: string; pauseMs: number }> {
    try {
      const outer = await this.gate.run(() => this.#sendOnce(sent));
      if (attempt < 2 && this.#adoptClock(outer)) return { fault: 'clock', pauseMs: 0 };
      const inner = outer.status < 300 ? sent.check?.(outer.text) : undefined;
      const answer = typeof inner === 'number' ? { ...outer, status: inner } : outer;
      if (!retriedStatuses.has(answer.status)) {
        // Part of an error does not tell which one it is. A page was checked, and would become a thousand objects.
        if (answer.status >= 400 && answer.text.startsWith('{')) JSON.parse(answer.text);
        this.gate.faster();
        this.#answeredAt = Date.now();
        if (typeof answer.headers['server'] === 'string') this.server = answer.headers['server'];
        return { answer, fault: '', pauseMs: 0 };
      }
      if (!busyStatuses.has(answer.status)) return { answer, fault: 'failed', pauseMs: pauseAfter(answer, attempt) };
      this.gate.slower();
      this.#answeredAt ??= Date.now();
      return { answer, fault: 'busy', pauseMs: Math.max(pauseAfter(answer, attempt), backOff(Math.min(attempt, 6))) };
    } catch (error) {
      if (this.#options.signal?.aborted) throw this.#options.signal.reason;
      const { code = '', message } = error as Error & { code?: string };
      if (/CERT|SELF_SIGNED|^UNABLE_TO/.test(code)) {
        const fix = 'If you trust it, set NODE_EXTRA_CA_CERTS to its certificate.';
        throw new CopyFault(`The certificate of ${this.name} is not trusted: ${code}. ${fix}`);
      }
      if (code === '' && !(error instanceof SyntaxError)) throw error;
      return { fault: code || message, pauseMs: backOff(attempt) };
    }
  }

  async #sendOnce({ method, path, query = '', comp, headers = {}, body }: Sent): Promise<Answer> {
    const date = new Date(Date.now() + this.#skew).toUTCString();
    const credential = this.#credential;
    const authorization = await credential.authorize(this.#basePath + path, comp, date);
    const search = [query, comp === undefined ? '' : `comp=${comp}`, credential.query].filter(Boolean).join('&');
    const { signal } = this.#options;
    const answer = await request(`${this.endpoint}${path}${search === '' ? '' : `?${search}`}`, {
      dispatcher: this.#agent,
      method,
      headers: {
        'x-ms-date': date,
        'x-ms-version': credential.isToken ? protocolVersions.policiesByToken : signatureVersions.default,
        accept: 'application/json;odata=minimalmetadata',
        dataserviceversion: '3.0;',
        maxdataserviceversion: '3.0;NetFx',
        ...headers,
        ...(authorization !== undefined && { authorization }),
      },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
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
