import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { PassThrough, pipeline } from 'node:stream';
import { reachedHost, rootOf } from '../../client/connection-strings.js';
import type { TargetServer } from '../../client/http-transport.js';
import { controlRoot } from '../../wire/reserved-endpoints.js';
import { Credit, Taken } from './credit.js';
import { type PageMessage, type RelayMessage, streamsMax, uploadFault, uploadMax } from './messages.js';

/** Headers that belong to the connection of the relay, or that only a browser may set. */
const ownHeaders = /^(?:connection|content-length|cookie|host|origin|referer|transfer-encoding|upgrade|sec-.*)$/i;

type Ask = Extract<PageMessage, { readonly kind: 'ask' }>;

/** A request of the page that runs, or waits. */
interface Exchange {
  readonly ask: Ask;
  readonly body: PassThrough;
  /** How many bytes of the body have come. */
  received: number;
  /** How much of the answer the page has not taken. */
  readonly credit: Credit;
  readonly taken: Taken;
  readonly left: AbortController;
  /** Rejects when the page has left. */
  readonly gone: Promise<never>;
}

/**
 * Sends the requests of a page to the server of the window, and their answers back. It reaches nothing else: the page names paths of
 * the control endpoints and of accounts, never a host. The relay adds the token of the server, which the page does not know.
 */
export class Relay {
  readonly #target: () => TargetServer | undefined;
  readonly #post: (message: RelayMessage) => unknown;
  readonly #exchanges = new Map<number, Exchange>();
  readonly #waiting: Exchange[] = [];
  #running = 0;

  constructor(target: () => TargetServer | undefined, post: (message: RelayMessage) => unknown) {
    this.#target = target;
    this.#post = post;
  }

  /** Takes a message of the page. */
  receive(message: PageMessage): void {
    // A page counts its requests from 1. That which was in the tab before it is gone, without a word.
    if (message.kind === 'ask' && message.id === 1) this.close();
    const exchange = this.#exchanges.get(message.id);
    if (message.kind === 'ask') this.#begin(message);
    else if (!exchange) return;
    else if (message.kind === 'part') this.#takePart(exchange, message.bytes);
    else if (message.kind === 'end') exchange.body.end();
    else if (message.kind === 'taken') exchange.credit.give(message.bytes);
    else this.#leave(exchange);
  }

  /** Ends all requests, because the page is gone. */
  close(): void {
    for (const exchange of this.#exchanges.values()) this.#leave(exchange);
  }

  #begin(ask: Ask): void {
    const { id, path, length = 0 } = ask;
    const fault = pathFault(path) ?? (length > uploadMax ? uploadFault : undefined);
    if (fault !== undefined) return void this.#post({ id, kind: 'failed', reason: fault });
    const left = new AbortController();
    // A page may break the rules for a body while nothing reads that yet.
    const body = new PassThrough().on('error', () => {});
    const exchange: Exchange = {
      ...{ ask, body, received: 0, credit: new Credit(), left, gone: goneOf(left.signal) },
      taken: new Taken((bytes) => this.#tell(exchange, { id, kind: 'taken', bytes })),
    };
    this.#exchanges.set(id, exchange);
    this.#waiting.push(exchange);
    this.#next();
  }

  #takePart(exchange: Exchange, bytes: Uint8Array): void {
    exchange.received += bytes.length;
    if (exchange.received > (exchange.ask.length ?? 0)) this.#fail(exchange, uploadFault);
    else exchange.body.write(bytes, () => exchange.taken.add(bytes.length));
  }

  #next(): void {
    if (this.#running >= streamsMax) return;
    const exchange = this.#waiting.shift();
    if (!exchange) return;
    this.#running++;
    void this.#exchange(exchange).finally(() => {
      this.#running--;
      this.#forget(exchange);
      this.#next();
    });
  }

  async #exchange(exchange: Exchange): Promise<void> {
    const { ask, credit, gone } = exchange;
    const { id } = ask;
    try {
      const target = this.#target();
      if (!target) return this.#fail(exchange, undefined);
      const answer = await this.#send(target, exchange);
      this.#tell(exchange, { id, kind: 'head', status: answer.statusCode ?? 0, headers: headersOf(answer) });
      for await (const bytes of answer as AsyncIterable<Buffer>) {
        this.#tell(exchange, { id, kind: 'part', bytes: new Uint8Array(bytes) });
        await Promise.race([credit.spend(bytes.length), gone]);
      }
      this.#tell(exchange, { id, kind: 'end' });
    } catch {
      // To the page it is a server that does not answer, whatever broke.
      this.#fail(exchange, undefined);
    }
  }

  #send(target: TargetServer, { ask, body, left }: Exchange): Promise<IncomingMessage> {
    const { endpoint, token } = target;
    const { method, path, length } = ask;
    // As the path is sent: without dots.
    const url = new URL(path, rootOf(endpoint));
    const isControl = url.pathname.startsWith(`${controlRoot}/`);
    const headers = Object.fromEntries(Object.entries(ask.headers).filter(([name]) => !ownHeaders.test(name)));
    const options = {
      ...{ method, signal: left.signal, agent: false as const },
      // As for commands: a server on this machine may have a certificate of its own.
      rejectUnauthorized: !/^(?:127\.|::1$|localhost$)/.test(reachedHost(endpoint.host)),
      headers: {
        ...headers,
        ...(length !== undefined && { 'Content-Length': length }),
        ...(isControl && token !== undefined && { Authorization: `Bearer ${token}` }),
      },
    };
    const send = endpoint.scheme === 'https' ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const outgoing: ClientRequest = send(url, options, resolve).on('error', reject);
      // The server may answer before it has read everything; then nobody cares for the rest.
      if (length === undefined) outgoing.end();
      else pipeline(body, outgoing, () => body.resume());
    });
  }

  #leave(exchange: Exchange): void {
    exchange.left.abort();
    this.#forget(exchange);
  }

  #fail(exchange: Exchange, reason: string | undefined): void {
    this.#tell(exchange, { id: exchange.ask.id, kind: 'failed', reason });
    this.#leave(exchange);
  }

  /** Posts a message about a request, unless the page has left it: its number may be that of another one by now. */
  #tell(exchange: Exchange, message: RelayMessage): void {
    if (this.#exchanges.get(message.id) === exchange) this.#post(message);
  }

  #forget(exchange: Exchange): void {
    const { id } = exchange.ask;
    if (this.#exchanges.get(id) === exchange) this.#exchanges.delete(id);
    const at = this.#waiting.indexOf(exchange);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}

/** Returns why a path is rejected; undefined if it is one of the control endpoints or of an account. */
function pathFault(path: string): string | undefined {
  const base = 'http://server.invalid';
  const isOwn = URL.canParse(path, base) && new URL(path, base).origin === base;
  const form = /^\/(?:_tabularium|[a-z0-9][a-z0-9-]*)(?:[/?]|$)/i;
  const isNamed = isOwn && form.test(path) && form.test(new URL(path, base).pathname);
  return isNamed ? undefined : `The editor sends nothing to ${path.slice(0, 200)}.`;
}

function headersOf({ rawHeaders }: IncomingMessage): readonly (readonly [string, string])[] {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []));
}

function goneOf(signal: AbortSignal): Promise<never> {
  const gone = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  // Most requests end with nobody waiting for this.
  gone.catch(() => {});
  return gone;
}
