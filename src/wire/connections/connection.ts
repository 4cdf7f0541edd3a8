import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers';

/** Time limits for the client of a connection. Unit: milliseconds; 0 means no limit. */
export interface ConnectionBounds {
  /** From the first to the last byte of the headers of a request. */
  readonly headersMs: number;
  /** Until the next byte of a body. */
  readonly bodyMs: number;
  /** Until the next request, and until the client reads the next byte of an answer. */
  readonly keepAliveMs: number;
}

/** Counts the requests in flight. */
export interface RequestCount {
  begun(): void;
  ended(requests: number): void;
}

/** The event that the server waits for on a connection. Undefined: the client waits for the server. */
export type Awaited = 'request' | 'headers' | 'body' | 'reader' | 'end' | undefined;

/**
 * Maximum number of requests in flight on one connection, and of held requests that begin in one turn of the event loop. A read of
 * the socket may bring three thousand.
 */
const inFlightMax = 16;

/** Size of unread answers at which no further request of the connection begins. Unit: bytes. */
const unreadMax = 1024 * 1024;

/** Number of waiting requests at which the server stops reading from a connection. */
const heldMax = 16;

/** Time limit for a client to end a connection that the server has ended. Unit: milliseconds. */
const endMs = 2000;

/** Returns the scheme of a request: `https` over TLS. */
export function schemeOf({ socket }: Pick<IncomingMessage, 'socket'>): 'http' | 'https' {
  return 'encrypted' in socket && socket.encrypted ? 'https' : 'http';
}

interface HeldRequest {
  readonly response: ServerResponse;
  readonly begin: (begun: boolean) => void;
}

/**
 * One connection: its requests in flight, its requests that are held until earlier answers are read, and the time since which
 * the server waits for the client. A single request costs only a few counters. `look` does the rest.
 */
export class Connection {
  readonly socket: Socket;
  /** The scheme of its requests, and the address of its client. Empty: the client had left. */
  readonly scheme: 'http' | 'https';
  readonly caller: string;
  /** Start of the current wait, as of the last `look`. Unit: milliseconds. */
  since: number;
  readonly #count: RequestCount;
  readonly #inFlight: ServerResponse[] = [];
  readonly #held: HeldRequest[] = [];
  #paused = false;
  #closed = false;
  #begun = 0;
  /** Number of held requests that have begun in this turn of the event loop. */
  #begunInTurn = 0;
  /** A request that was answered before its body had arrived. */
  #unfinished: IncomingMessage | undefined;
  #afterwards: (() => void) | undefined;
  #seen = { awaited: 'request' as Awaited, begun: 0, read: 0, unread: 0, written: 0 };

  constructor(socket: Socket, count: RequestCount, now: number) {
    this.socket = socket;
    this.scheme = schemeOf({ socket });
    this.caller = socket.remoteAddress ?? '';
    this.#count = count;
    this.since = now;
    // Node.js resumes a socket to read a body. That must not add more waiting requests.
    socket.on('resume', () => {
      if (this.#paused) socket.pause();
    });
  }

  /**
   * Begins a request: at once, or when the answers before it have been read. The caller must call `end` for it. Resolves to
   * false if the client left first. Then there is nothing to answer or to end.
   */
  begin(response: ServerResponse): true | Promise<boolean> {
    if (this.#held.length === 0 && this.#mayBegin()) {
      this.#add(response);
      return true;
    }
    if (this.#closed) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#held.push({ response, begin: resolve });
      if (this.#held.length < heldMax || this.#paused) return;
      this.#paused = true;
      this.socket.pause();
    });
  }

  /** Ends a request whose answer is written or whose client has left. */
  end(response: ServerResponse): void {
    // Small answers are sent as soon as they are written, so they need no event.
    if (response.writableFinished || response.destroyed) this.#forget(response);
    else response.once('close', () => this.#forget(response));
  }

  /**
   * Calls a function when all complete requests so far are answered. Call it only when no further request can be read, not
   * even the rest of the last one. A second call has no effect.
   */
  afterwards(act: () => void): void {
    this.#afterwards ??= act;
    this.#beginNext();
  }

  /** Forgets the requests of a closed socket, and notifies held ones and those with queued answers that the client has left. */
  close(): void {
    this.#closed = true;
    this.#afterwards = undefined;
    const left = this.#inFlight.splice(0);
    this.#count.ended(left.length);
    // Node.js closes only the answer that has the socket, and not those behind it.
    for (const response of left.filter(({ socket, destroyed }) => !socket && !destroyed)) {
      response.destroy();
      response.emit('close');
    }
    for (const { begin } of this.#held.splice(0)) begin(false);
  }

  /** Returns whether the client would take an error for the answer to the request that it is sending. */
  get mayBeRejected(): boolean {
    const [first, second] = this.#inFlight;
    const isAnswered = this.#unfinished !== undefined && !this.#unfinished.complete;
    return second === undefined && !first?.headersSent && !isAnswered;
  }

  get awaited(): Awaited {
    if (this.socket.writableLength > 0) return 'reader';
    if (this.socket.writableEnded) return 'end';
    const last = this.#inFlight.at(-1);
    if (last) return last.req.complete ? undefined : 'body';
    if (this.#held.length > 0) return undefined;
    if (this.#unfinished && !this.#unfinished.complete) return 'body';
    const { awaited, begun, read } = this.#seen;
    const isBetween = (awaited === 'request' || awaited === 'headers') && begun === this.#begun;
    return isBetween && this.socket.bytesRead > read ? 'headers' : 'request';
  }

  /** Updates the waiting time. Returns the overdue event, or undefined. */
  look(now: number, bounds: ConnectionBounds): Awaited {
    const { awaited, socket } = this;
    const seen = this.#seen;
    const begun = this.#begun;
    const { bytesRead: read, writableLength: unread, bytesWritten: written } = socket;
    const isSame = awaited === seen.awaited && begun === seen.begun;
    const hasProgress =
      (awaited === 'body' && read !== seen.read) ||
      (awaited === 'reader' && (unread !== seen.unread || written !== seen.written));
    // Bytes beyond those read at the end of the last request belong to the headers of the next one.
    const isWithinHeaders = awaited === 'headers';
    this.#seen = { awaited, begun, unread, written, read: isWithinHeaders ? seen.read : read };
    if (!isSame || hasProgress) this.since = now;
    const bound = boundOf(awaited, bounds);
    return bound > 0 && now - this.since >= bound ? awaited : undefined;
  }

  #mayBegin(): boolean {
    const { length } = this.#inFlight;
    if (length === 0) return true;
    if (length >= inFlightMax) return false;
    return this.#inFlight.reduce((sum, { writableLength }) => sum + writableLength, 0) < unreadMax;
  }

  #add(response: ServerResponse): void {
    this.#begun++;
    this.#inFlight.push(response);
    this.#count.begun();
  }

  #forget(response: ServerResponse): void {
    const at = this.#inFlight.indexOf(response);
    if (at < 0) return;
    if (at === this.#inFlight.length - 1) this.#inFlight.pop();
    else this.#inFlight.splice(at, 1);
    this.#unfinished = response.req.complete ? undefined : response.req;
    this.#count.ended(1);
    if (this.#held.length > 0 || this.#afterwards) this.#beginNext();
  }

  /** Counts as a request, so that a stop waits for requests that begin in the next turn. */
  #beginTurn(): void {
    this.#count.begun();
    setImmediate(() => {
      this.#begunInTurn = 0;
      this.#beginNext();
      this.#count.ended(1);
    });
  }

  #beginNext(): void {
    while (this.#held.length > 0 && this.#begunInTurn < inFlightMax && this.#mayBegin()) {
      const next = this.#held.shift();
      if (!next) break;
      if (this.#begunInTurn++ === 0) this.#beginTurn();
      this.#add(next.response);
      next.begin(true);
    }
    if (this.#paused && this.#held.length < heldMax) {
      this.#paused = false;
      this.socket.resume();
    }
    const [first, second] = this.#inFlight;
    if (second || first?.req.complete || this.#held.length > 0 || !this.#afterwards) return;
    const act = this.#afterwards;
    this.#afterwards = undefined;
    act();
  }
}

function boundOf(awaited: Awaited, { headersMs, bodyMs, keepAliveMs }: ConnectionBounds): number {
  switch (awaited) {
    case 'headers':
      return headersMs;
    case 'body':
      return bodyMs;
    case 'request':
    case 'reader':
      return keepAliveMs;
    case 'end':
      return endMs;
    default:
      return 0;
  }
}
