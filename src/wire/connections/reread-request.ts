import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers';
import type { ConnectionError } from 'fastify';
import { lowerAscii } from '../../protocol/names.js';
import type { Connections } from './connections.js';

/** A whole request line, which may follow the body of another request. */
const requestLine = /(?<![A-Z])[A-Z]+ \S+ HTTP\/1\.[01]\r?$/;

/**
 * Reads a request again if its target has unencoded UTF-8, which the parser of Node.js rejects and the service accepts. Those
 * bytes are percent-encoded, and the request is read after the requests before it. Returns false for any other fault, and
 * for a target that did not arrive in one packet.
 */
export function rereadTarget(
  server: Server,
  error: ConnectionError,
  socket: Socket,
  connections: Connections,
): boolean {
  const { code, rawPacket, bytesParsed } = error as ConnectionError & { rawPacket?: Buffer; bytesParsed?: number };
  if (code !== 'HPE_INVALID_URL' || rawPacket === undefined || bytesParsed === undefined) return false;
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1;
  const end = rawPacket.indexOf('\n', start);
  const line = rawPacket.toString('latin1', start, Math.max(start, end));
  const [encoded] = requestLine.exec(line.replace(/[\x80-\xff]/g, encodeByte)) ?? [];
  if (encoded === undefined || line.endsWith(encoded)) return false;
  readRest(server, connections, socket, [Buffer.from(encoded), rawPacket.subarray(end)]);
  return true;
}

function encodeByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * Makes a server ignore the `Upgrade` header. The parser of Node.js discards the bytes that follow the request in the same
 * packet, so the request is read again without the header.
 */
export function rereadUpgrades(server: Server, connections: Connections): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, rest: Buffer) => {
    readRest(server, connections, socket, [headOf(request), rest]);
  });
}

/** Returns the head of a request as it was sent, without `Upgrade`. */
function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (lowerAscii(name) !== 'upgrade') head += `${name}: ${rawHeaders[at + 1]}\r\n`;
  }
  return Buffer.from(`${head}\r\n`, 'latin1');
}

/**
 * Reads the rest of a connection with a new parser: first `unread`, then the bytes that follow on the socket. The new parser
 * starts once all earlier requests are answered, in its own turn of the event loop: a packet may have a thousand such requests.
 * The parser that stopped gets no more bytes.
 */
function readRest(server: Server, connections: Connections, socket: Socket, unread: readonly Buffer[]): void {
  const event = 'setSecureContext' in server ? 'secureConnection' : 'connection';
  // The tail collects bytes from now on, not from the last answer, so that none are lost in between.
  const tail = new SocketTail(socket, unread);
  // The parser that stopped may end the connection, or the server may stop.
  const end = () => tail.destroy();
  socket.once('close', end);
  const handOver = () => {
    socket.off('close', end);
    // Its event comes later.
    if (socket.destroyed) end();
    connections.forget(socket);
    if (socket instanceof SocketTail) socket.destroy();
    if (!tail.destroyed) server.emit(event, tail);
  };
  connections.of(socket).afterwards(() => setImmediate(handOver));
}

/**
 * The rest of a connection as a stream that the server of Node.js takes for a socket. It always wraps the socket of the system: a
 * tail hands it to the next one, because a stack of tails would grow with each request.
 */
class SocketTail extends Duplex {
  readonly #root: Socket;
  #isLeft = false;

  constructor(socket: Socket, unread: readonly Buffer[]) {
    super();
    // A client may leave between two parsers, each of which listens only for as long as it reads.
    this.on('error', () => {});
    const later: Buffer[] = [];
    this.#root = socket instanceof SocketTail ? socket.#leave(later) : socket;
    for (const event of ['data', 'end', 'error', 'timeout']) this.#root.removeAllListeners(event);
    for (const bytes of [...unread, ...later]) this.push(bytes);
    this.#root.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onClose).on('close', this.#onClose);
    if (this.#root.readableEnded) this.push(null);
    // If the parser that stopped had paused the socket, its handle does not read, but its stream waits for the handle. `resume` alone
    // would then wait forever.
    else if (!this.#root.destroyed) this.#root._read(0);
  }

  /** Returns the socket, and adds the bytes that no parser has read. Answers written so far are still sent. */
  #leave(unread: Buffer[]): Socket {
    this.#isLeft = true;
    this.#root.off('close', this.#onClose);
    this.removeAllListeners('data');
    for (let bytes = this.read(); bytes !== null; bytes = this.read()) unread.push(bytes);
    return this.#root;
  }

  override _read(): void {
    if (!this.#isLeft) this.#root.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#root.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    if (this.#isLeft) done();
    else this.#root.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#isLeft) this.#root.destroy();
    done(error);
  }

  readonly #onData = (chunk: Buffer): void => {
    if (!this.push(chunk)) this.#root.pause();
  };
  readonly #onEnd = (): void => {
    this.push(null);
  };
  readonly #onClose = (): void => {
    this.destroy();
  };

  // The server of Node.js and `Connections` also call these on a socket.
  setTimeout(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  destroySoon(): void {
    this.end(() => this.destroy());
  }
  get remoteAddress() {
    return this.#root.remoteAddress;
  }
  get remotePort() {
    return this.#root.remotePort;
  }
  get localAddress() {
    return this.#root.localAddress;
  }
  get localPort() {
    return this.#root.localPort;
  }
  get encrypted() {
    return (this.#root as Socket & { readonly encrypted?: boolean }).encrypted;
  }
  get bytesRead() {
    return this.#root.bytesRead;
  }
  get bytesWritten() {
    return this.#root.bytesWritten;
  }
}
