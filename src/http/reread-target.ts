import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { ConnectionError } from 'fastify';
import type { Connections } from './connections.js';

/** A whole request line. */
const requestLine = /^[A-Z]+ \S+ HTTP\/1\.[01]\r?$/;

/**
 * Reads a request again if its target has unencoded UTF-8, which the parser of Node.js refuses and the service accepts. Those
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
  const encoded = line.replace(/[\x80-\xff]/g, encodeByte);
  if (encoded === line || !requestLine.test(encoded)) return false;
  const read = 'setSecureContext' in server ? 'secureConnection' : 'connection';
  // The stream begins now, not after the last answer, so that no bytes are lost in between.
  const stream = continueSocket(socket, Buffer.concat([Buffer.from(encoded), rawPacket.subarray(end)]));
  connections.of(socket).afterwards(() => {
    connections.forget(socket);
    server.emit(read, stream);
  });
  return true;
}

function encodeByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Returns a stream with these bytes and then those of a socket. The parser that failed gets no more bytes. */
function continueSocket(socket: Socket, first: Buffer): Duplex {
  for (const event of ['data', 'end', 'error', 'timeout']) socket.removeAllListeners(event);
  const stream = new Duplex({
    read: () => socket.resume(),
    write: (chunk, encoding, done) => socket.write(chunk, encoding, done),
    final: (done) => socket.end(done),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  const own: PropertyDescriptorMap = {
    setTimeout: { value: () => stream },
    setNoDelay: { value: () => stream },
    setKeepAlive: { value: () => stream },
    destroySoon: { value: () => stream.end(() => stream.destroy()) },
  };
  for (const name of ['remoteAddress', 'remotePort', 'localAddress', 'localPort', 'encrypted'] as const) {
    own[name] = { get: () => (socket as Socket & { encrypted?: boolean })[name] };
  }
  for (const name of ['bytesRead', 'bytesWritten'] as const) own[name] = { get: () => socket[name] };
  Object.defineProperties(stream, own);
  stream.push(first);
  socket.on('data', (chunk: Buffer) => {
    if (!stream.push(chunk)) socket.pause();
  });
  socket.on('end', () => stream.push(null));
  socket.on('error', () => stream.destroy());
  socket.on('close', () => stream.destroy());
  return stream;
}
