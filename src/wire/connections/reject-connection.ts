import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import { frontEndServerName } from '../../protocol/headers.js';
import type { Connections } from './connections.js';

/**
 * Answers malformed HTTP, after the requests before it. The answer is that of the HTTP layer in front of the service: HTML,
 * and a header that says that the connection ends.
 */
export function rejectUnreadable(error: ConnectionError, socket: Socket, connections: Connections): void {
  // The fault is not from the parser: the client has left, or there is no TLS session to write to.
  if (!error.code?.startsWith('HPE_')) {
    socket.destroy();
    return;
  }
  const connection = connections.of(socket);
  connection.afterwards(() => {
    // Data after the last request of a connection gets no answer. Source: RFC 9112, section 9.6.
    const isBeyondLast = error.code === 'HPE_CLOSED_CONNECTION';
    if (isBeyondLast || !connection.mayBeRejected) socket.destroySoon();
    else if (error.code === 'HPE_HEADER_OVERFLOW') reject(socket, 431, 'Request Header Fields Too Large');
    else reject(socket, 400, 'Bad Request');
  });
}

/** Answers a request whose rest does not arrive in time. */
export function rejectSlow(socket: Socket): void {
  reject(socket, 408, 'Request Timeout');
}

function reject(socket: Socket, status: number, reason: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = `<h2>${reason}</h2>\r\n`;
  const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/html; charset=us-ascii\r\nServer: ${frontEndServerName}`;
  socket.end(`${head}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
}
