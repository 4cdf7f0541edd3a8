import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long a client may keep the server waiting. Unit: milliseconds; 0 for as long as it likes. */
export interface ConnectionBounds {
  /** For the headers of a request, from their first byte to their last. */
  readonly headersMs: number;
  /** For the next byte of a body. */
  readonly bodyMs: number;
  /** For the next request, and for the next byte of an answer to be read. */
  readonly keepAliveMs: number;
}

/** What a connection tells of its requests. */
export interface RequestCount {
  begun(): void;
  ended(requests: number): void;
}

/** What a server waits for on a connection; undefined while it is the client who waits. */
export type Awaited = 'request' | 'headers' | 'body' | 'reader' | 'end' | undefined;

/** How many requests of one connection are answered at a time. */
const underWayMax = 16;

/** No further request begins while so much of the answers before it is not read. Unit: bytes. */
const unreadMax = 1024 * 1024;

/** Nothing more is read from a connection while so many of its requests wait to begin. */
const heldMax = 16;

/** How long a client may take to end a connection that the server has ended. Unit: milliseconds. */
const endMs = 2000;

interface HeldRequest {
  readonly response: ServerResponse;
  readonly begin: (begun: boolean) => void;
}

/**
 * One connection: which of its requests are under way, which wait for those before them to be read, and since when the
 * server waits for the client. Nothing here costs a lone request more than counting; the rest is looked at by `look`.
 */
export class Connection {
  readonly socket: Socket;
  /** Since when the server waits for what it waits for, as far as `look` has seen. Unit: milliseconds. */
  since: number;
  readonly #count: RequestCount;
  readonly #underWay: ServerResponse[] = [];
  readonly #held: HeldRequest[] = [];
  #paused = false;
  #closed = false;
  #begun = 0;
  /** A request that was answered before its body was there. */
  #unfinished: IncomingMessage | undefined;
  #afterwards: (() => void) | undefined;
  #seen = { awaited: 'request' as Awaited, begun: 0, read: 0, unread: 0, written: 0 };

  constructor(socket: Socket, count: RequestCount, now: number) {
    this.socket = socket;
    this.#count = count;
    this.since = now;
    // Node.js resumes a socket to read a body; requests that wait are not to become more by it.
    socket.on('resume', () => {
      if (this.#paused) socket.pause();
    });
  }

  /**
   * Begins a request, which `end` must be told of: at once, or when those before it have been read. Resolves to false
   * when the client left first; then there is nothing to answer and nothing to end.
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

  /** Ends a request once its answer is out or its client gone. */
  end(response: ServerResponse): void {
    // Small answers are out as soon as they are written: nothing need be told of them later.
    if (response.writableFinished || response.destroyed) this.#forget(response);
    else response.once('close', () => this.#forget(response));
  }

  /**
   * Does something once all whole requests so far are answered. It is called when no further request can be read, not
   * even the rest of the last one. Of two calls the first counts.
   */
  afterwards(act: () => void): void {
    this.#afterwards ??= act;
    this.#beginNext();
  }

  /** Forgets everything under way: the socket is closed. Answers that wait for their turn would never hear of it. */
  close(): void {
    this.#closed = true;
    this.#afterwards = undefined;
    this.#count.ended(this.#underWay.length);
    this.#underWay.length = 0;
    for (const { begin } of this.#held.splice(0)) begin(false);
  }

  /** Whether an error is what the client would take for the answer to the request that it is sending. */
  get mayBeRefused(): boolean {
    const [first, second] = this.#underWay;
    const isAnswered = this.#unfinished !== undefined && !this.#unfinished.complete;
    return second === undefined && !first?.headersSent && !isAnswered;
  }

  /** What the server waits for. */
  get awaited(): Awaited {
    if (this.socket.writableLength > 0) return 'reader';
    if (this.socket.writableEnded) return 'end';
    const last = this.#underWay.at(-1);
    if (last) return last.req.complete ? undefined : 'body';
    if (this.#held.length > 0) return undefined;
    if (this.#unfinished && !this.#unfinished.complete) return 'body';
    const { awaited, begun, read } = this.#seen;
    const isBetween = (awaited === 'request' || awaited === 'headers') && begun === this.#begun;
    return isBetween && this.socket.bytesRead > read ? 'headers' : 'request';
  }

  /** Notes what has happened since the last look, and returns what the client has been too slow with. */
  look(now: number, bounds: ConnectionBounds): Awaited {
    const { awaited, socket } = this;
    const seen = this.#seen;
    const begun = this.#begun;
    const { bytesRead: read, writableLength: unread, bytesWritten: written } = socket;
    const isSame = awaited === seen.awaited && begun === seen.begun;
    const hasProgress =
      (awaited === 'body' && read !== seen.read) ||
      (awaited === 'reader' && (unread !== seen.unread || written !== seen.written));
    // What was read when the last request had ended is what tells the headers of the next one.
    const isWithinHeaders = awaited === 'headers';
    this.#seen = { awaited, begun, unread, written, read: isWithinHeaders ? seen.read : read };
    if (!isSame || hasProgress) this.since = now;
    const bound = boundOf(awaited, bounds);
    return bound > 0 && now - this.since >= bound ? awaited : undefined;
  }

  #mayBegin(): boolean {
    const { length } = this.#underWay;
    if (length === 0) return true;
    if (length >= underWayMax) return false;
    return this.#underWay.reduce((sum, { writableLength }) => sum + writableLength, 0) < unreadMax;
  }

  #add(response: ServerResponse): void {
    this.#begun++;
    this.#underWay.push(response);
    this.#count.begun();
  }

  #forget(response: ServerResponse): void {
    const at = this.#underWay.indexOf(response);
    if (at < 0) return;
    if (at === this.#underWay.length - 1) this.#underWay.pop();
    else this.#underWay.splice(at, 1);
    this.#unfinished = response.req.complete ? undefined : response.req;
    this.#count.ended(1);
    if (this.#held.length > 0 || this.#afterwards) this.#beginNext();
  }

  #beginNext(): void {
    while (this.#held.length > 0 && this.#mayBegin()) {
      const next = this.#held.shift();
      if (!next) break;
      this.#add(next.response);
      next.begin(true);
    }
    if (this.#paused && this.#held.length < heldMax) {
      this.#paused = false;
      this.socket.resume();
    }
    const [first, second] = this.#underWay;
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
