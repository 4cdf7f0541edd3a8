import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { lowerAscii } from '../protocol/names.js';
import type { Connections } from './connections.js';

/**
 * Has a server answer requests that ask for another protocol as if they did not. The parser of Node.js by itself drops
 * what follows such a request in the same packet; here the request is read again without its `Upgrade`.
 */
export function rereadUpgrades(server: Server, connections: Connections): void {
  const read = 'setSecureContext' in server ? 'secureConnection' : 'connection';
  server.on('upgrade', (request: IncomingMessage, socket: Socket, rest: Buffer) => {
    const fail = () => socket.destroy();
    socket.on('error', fail);
    connections.of(socket).afterwards(() => {
      socket.off('error', fail);
      socket.unshift(Buffer.concat([headOf(request), rest]));
      server.emit(read, socket);
    });
  });
}

/** The head of a request as it came, without the protocol it asked for. */
function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (lowerAscii(name) !== 'upgrade') head += `${name}: ${rawHeaders[at + 1]}\r\n`;
  }
  return Buffer.from(`${head}\r\n`, 'latin1');
}
