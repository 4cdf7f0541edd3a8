import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import { lowerAscii } from '../../protocol/names.js';
import type { Connections } from './connections.js';
import { readRest } from './socket-tail.js';

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
