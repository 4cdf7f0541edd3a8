import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HeaderFields } from '../protocol/header-fields.js';
import type { Sink } from '../service/gate.js';
import type { RequestIds } from '../service/service.js';
import type { Received } from '../service/stages.js';
import { ResponseSink } from './answers/response-sink.js';
import type { Connection } from './connections/connection.js';
import { readBody } from './read-body.js';

/** A request of Node.js as the service gets it. */
export class HttpReceived implements Received {
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderFields;
  readonly scheme: 'http' | 'https';
  readonly httpVersion: string;
  readonly caller: string;
  readonly connection: object;
  readonly number: number;
  readonly id: string;

  constructor(message: IncomingMessage, response: ServerResponse, { scheme, caller }: Connection, ids: RequestIds) {
    this.#message = message;
    this.#response = response;
    this.method = message.method ?? '';
    this.target = message.url ?? '/';
    // Node.js joins these headers if they are repeated.
    this.headers = message.headers as HeaderFields;
    this.scheme = scheme;
    this.httpVersion = message.httpVersion;
    this.caller = caller;
    this.connection = message.socket;
    this.number = ids.next();
    this.id = ids.write(this.number);
  }

  get arrivedAt(): string {
    const { localAddress, localPort } = this.#message.socket;
    return `${localAddress}:${localPort}`;
  }

  readBody(): Promise<Buffer> {
    return readBody(this.#message);
  }

  isGone(): boolean {
    return this.#response.destroyed;
  }

  openSink(): Sink {
    return new ResponseSink(this.#response);
  }
}
