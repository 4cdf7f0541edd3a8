import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { signedHead } from '../clients/raw-connection.js';
import type { RunningService } from '../servers/start-service.js';

/** Opens connections to a server. Errors of the sockets are ignored: a server may reject connections. */
export async function openSockets({ url }: RunningService, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname).on('error', () => {}));
  await Promise.all(sockets.map((socket) => socket.connecting && once(socket, 'connect').catch(() => {})));
  return sockets;
}

/** Waits until the server has closed every socket. */
export async function allClosed(sockets: readonly Socket[]): Promise<void> {
  await Promise.all(
    sockets.map((socket) => {
      // A socket that is not read does not emit its end.
      socket.resume();
      return socket.closed || once(socket, 'close');
    }),
  );
}

/** Starts of requests that are never finished. */
export function unfinishedRequests(service: RunningService): readonly (readonly [what: string, text: string])[] {
  const json = { 'Content-Type': 'application/json' };
  return [
    ['nothing at all', ''],
    ['half a request line', 'GET /devstoreacc'],
    ['half of the headers', 'GET /devstoreaccount1/Tables HTTP/1.1\r\nHost: localhost\r\nAccept: a'],
    ['a body that does not come', signedHead(service, 'POST', '/Tables', { ...json, 'Content-Length': '100' })],
    ['half a body', `${signedHead(service, 'POST', '/Tables', { ...json, 'Content-Length': '100' })}{"Table`],
    ['half a chunk', `${signedHead(service, 'POST', '/Tables', { ...json, 'Transfer-Encoding': 'chunked' })}ff\r\n{"T`],
    [
      'an unsigned body that does not come',
      'POST /devstoreaccount1/T HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n',
    ],
  ];
}

/** Bytes that are not HTTP, or HTTP that no client sends. */
export const garbage: readonly (readonly [what: string, text: string])[] = [
  ['zeros', '\0'.repeat(4096)],
  ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['line ends', '\r\n'.repeat(4096)],
  ['a request line without an end', 'GET /'.padEnd(100_000, 'a')],
  ['headers without an end', `GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(20_000)}`],
  [
    'a request for a protocol upgrade',
    'GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n\0\0\0',
  ],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\0\0\0\0\0\0'],
  ['a length below zero', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n'],
  ['a chunk of a large length', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n'],
];

/** Sends the same request many times on each socket, and reads none of the answers. */
export async function floodUnread(sockets: readonly Socket[], head: string, times: number): Promise<void> {
  for (const socket of sockets) socket.pause().write(head.repeat(times));
  // Waits until an answer has begun on each socket.
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'readable'), once(socket, 'close')])));
}
