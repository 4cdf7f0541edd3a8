import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { AnswerGroups } from '../answers/answer-groups.js';
import { Connection, type ConnectionBounds, type RequestCount } from './connection.js';
import { rejectSlow } from './reject-connection.js';

/** Maximum number of file handles for the data folder, the log and the rest of the process. Estimate. */
const ownHandlesMax = 1200;

/**
 * Returns the maximum number of connections that leaves file handles for the data, the log and one more client. Infinite on
 * systems other than Linux, which do not publish the number of handles.
 */
export function readConnectionsMax(): number {
  try {
    return connectionsMax(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Returns how many connections the text of `/proc/self/limits` allows: half of the handles, or more if there are many. */
export function connectionsMax(limits: string): number {
  const handles = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  return handles - Math.min(Math.ceil(handles / 2), ownHandlesMax);
}

/** How long a stop waits for requests in flight, so that it takes less than a second. Unit: milliseconds. */
const graceMs = 700;

/** Maximum time between two checks of the connections. Unit: milliseconds. */
const lookMsMax = 5000;

/**
 * The connections of a server. Closes those whose clients exceed a time limit and, if file handles run out, the one whose client
 * has kept the server waiting longest. A stop neither interrupts answers nor waits for idle connections.
 */
export class Connections implements RequestCount {
  readonly #bounds: ConnectionBounds;
  readonly #max: number;
  readonly #groups: AnswerGroups;
  readonly #now: () => number;
  readonly #open = new Map<Socket, Connection>();
  /** Connections whose TLS handshake is not complete, by the address and port of the client. */
  readonly #shaking = new Map<string, Socket>();
  readonly #timer: NodeJS.Timeout | undefined;
  #inFlight = 0;
  #idle: (() => void) | undefined;

  /** `groups` holds back answers on these connections. `now` is a clock in milliseconds. */
  constructor(
    bounds: ConnectionBounds,
    max = Number.POSITIVE_INFINITY,
    groups = new AnswerGroups(),
    now = () => performance.now(),
  ) {
    this.#bounds = bounds;
    this.#max = max;
    this.#groups = groups;
    this.#now = now;
    // Named one by one, because the caller may pass an object with more numbers than these.
    const { headersMs, bodyMs, keepAliveMs } = bounds;
    const shortest = Math.min(...[headersMs, bodyMs, keepAliveMs].filter((ms) => ms > 0), 4 * lookMsMax);
    this.#timer = setInterval(() => this.look(), shortest / 4).unref();
  }

  /** Tracks every connection that a server accepts after this call. */
  watch(server: Server): void {
    const isSecure = 'setSecureContext' in server;
    server.on('connection', (socket: Socket) => {
      this.#add(socket);
      if (isSecure) this.#shaking.set(placeOf(socket), socket);
    });
    if (!isSecure) return;
    server.on('secureConnection', (socket: Socket) => {
      const raw = this.#shaking.get(placeOf(socket));
      if (raw) this.#remove(raw);
      this.#add(socket);
    });
  }

  of(socket: Socket): Connection {
    return this.#open.get(socket) ?? this.#add(socket);
  }

  /** Stops tracking a socket, because its data is read as another connection. No answer waits on it any longer, so it may be destroyed. */
  forget(socket: Socket): void {
    this.#groups.release();
    this.#remove(socket);
  }

  /** Closes the connections whose clients are too slow. */
  look(): void {
    const now = this.#now();
    this.#groups.release();
    for (const connection of this.#open.values()) {
      const awaited = connection.look(now, this.#bounds);
      if ((awaited === 'headers' || awaited === 'body') && connection.mayBeRejected) rejectSlow(connection.socket);
      else if (awaited !== undefined) connection.socket.destroy();
    }
  }

  /** Resolves when no request is in flight, at the latest after `graceMs`. */
  async settled(): Promise<void> {
    if (this.#inFlight === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
      timer = setTimeout(resolve, graceMs);
    });
    clearTimeout(timer);
  }

  /** Closes all connections, including those with requests in flight. */
  close(): void {
    clearInterval(this.#timer);
    this.#groups.release();
    for (const socket of this.#open.keys()) socket.destroy();
  }

  begun(): void {
    this.#inFlight++;
  }

  ended(requests: number): void {
    this.#inFlight -= requests;
    if (this.#inFlight === 0) this.#idle?.();
  }

  #add(socket: Socket): Connection {
    const known = this.#open.get(socket);
    if (known) return known;
    if (this.#open.size >= this.#max) this.#closeLongestWaiting();
    const connection = new Connection(socket, this, this.#now());
    this.#open.set(socket, connection);
    socket.once('close', () => this.#remove(socket));
    if (this.#open.size > this.#max) socket.destroy();
    return connection;
  }

  #remove(socket: Socket): void {
    const connection = this.#open.get(socket);
    this.#open.delete(socket);
    if (this.#shaking.get(placeOf(socket)) === socket) this.#shaking.delete(placeOf(socket));
    connection?.close();
  }

  /** Frees a file handle: closes the connection whose client has kept the server waiting longest, if there is one. */
  #closeLongestWaiting(): void {
    this.#groups.release();
    let longest: Connection | undefined;
    for (const connection of this.#open.values()) {
      if (connection.awaited !== undefined && (!longest || connection.since < longest.since)) longest = connection;
    }
    if (!longest) return;
    this.#remove(longest.socket);
    longest.socket.destroy();
  }
}

/** Returns the identity of a connection, which is the same for a socket and for the TLS socket on top of it. */
function placeOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
