import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Connection, type ConnectionBounds, type RequestCount } from './connection.js';
import { refuseSlow } from './refuse-connection.js';

/** How long a stop waits for answers under way, so that it takes less than a second. Unit: milliseconds. */
const graceMs = 700;

/** The longest time between two looks at the connections. Unit: milliseconds. */
const lookMsMax = 5000;

/**
 * The connections of a server. Closes those whose clients keep it waiting for too long, and the one that has waited for
 * longest when there are more than the system has file handles for. A stop neither cuts answers off nor waits for idle
 * connections.
 */
export class Connections implements RequestCount {
  readonly #bounds: ConnectionBounds;
  readonly #max: number;
  readonly #now: () => number;
  readonly #open = new Map<Socket, Connection>();
  /** Connections on which TLS is not agreed on yet, by the address and port of the client. */
  readonly #shaking = new Map<string, Socket>();
  readonly #timer: NodeJS.Timeout | undefined;
  #underWay = 0;
  #idle: (() => void) | undefined;

  /** Keeps to these bounds and to `max` connections. `now` is a clock in milliseconds. */
  constructor(bounds: ConnectionBounds, max = Number.POSITIVE_INFINITY, now = () => performance.now()) {
    this.#bounds = bounds;
    this.#max = max;
    this.#now = now;
    const shortest = Math.min(...Object.values(bounds).filter((ms) => ms > 0), 4 * lookMsMax);
    this.#timer = setInterval(() => this.look(), shortest / 4).unref();
  }

  /** Follows every connection that a server accepts from now on. */
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

  /** The connection of a socket. */
  of(socket: Socket): Connection {
    return this.#open.get(socket) ?? this.#add(socket);
  }

  /** Follows a socket no more: what it carries is followed as another connection. */
  forget(socket: Socket): void {
    this.#remove(socket);
  }

  /** Closes the connections whose clients are too slow. */
  look(): void {
    const now = this.#now();
    for (const connection of this.#open.values()) {
      const awaited = connection.look(now, this.#bounds);
      if ((awaited === 'headers' || awaited === 'body') && connection.mayBeRefused) refuseSlow(connection.socket);
      else if (awaited !== undefined) connection.socket.destroy();
    }
  }

  /** Resolves when nothing is being answered, at the latest after `graceMs`. */
  async settled(): Promise<void> {
    if (this.#underWay === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
      timer = setTimeout(resolve, graceMs);
    });
    clearTimeout(timer);
  }

  /** Closes all connections, whatever they do. */
  close(): void {
    clearInterval(this.#timer);
    for (const socket of this.#open.keys()) socket.destroy();
  }

  begun(): void {
    this.#underWay++;
  }

  ended(requests: number): void {
    this.#underWay -= requests;
    if (this.#underWay === 0) this.#idle?.();
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

  /** Frees a file handle. A connection whose request is being answered is left alone. */
  #closeLongestWaiting(): void {
    let longest: Connection | undefined;
    for (const connection of this.#open.values()) {
      if (connection.awaited !== undefined && (!longest || connection.since < longest.since)) longest = connection;
    }
    if (!longest) return;
    this.#remove(longest.socket);
    longest.socket.destroy();
  }
}

/** What tells the connections of a server apart, for a socket and the TLS upon it alike. */
function placeOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
