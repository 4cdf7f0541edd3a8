import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { lowerAscii } from '../../protocol/names.js';
import type { Connections } from './connections.js';
import { readRest } from './socket-tail.js';

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
