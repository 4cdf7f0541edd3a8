import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { PageMemory } from '../../../src/formats/json/page-buffer.js';
import { sendPage, sendText } from '../../../src/wire/answers/send-outcome.js';

const memory = new PageMemory();

const head = {
  status: 200,
  headers: ['ETag', 'W/"1"', 'x-ms-client-request-id', 'caf\u00e9', 'Transfer-Encoding', 'chunked', 'Date', 'now'],
};

/** Sends an answer in one chunk as Node.js does. */
function sendByNode(response: ServerResponse, body: string): void {
  response.removeHeader('connection');
  response.writeHead(head.status, head.headers);
  response.end(body);
}

/** Sends an answer as one text, or as Node.js does if that is not possible. */
function send(response: ServerResponse, body: string): boolean {
  const wasSent = sendText(response, head, body, true);
  if (!wasSent) sendByNode(response, body);
  return wasSent;
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
const getLast = (path: string) => get(path, 'Connection: close\r\n');

/** Starts a server, sends it these bytes on one connection, and returns all that it answers until it closes that. */
async function exchange(requests: string, answer: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    // Node.js reports a request before it has read its end.
    request.resume().once('end', () => answer(request, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
  socket.write(requests);
  const received = await text(socket);
  server.close();
  return received.replaceAll(/^Date: .*GMT\r$/gm, 'Date: now\r');
}

it.each([
  ['An answer as one text', 1],
  ['A long answer in pieces', 20_000],
])('%s has the bytes of an answer of Node.js', async (_, times) => {
  const sent: boolean[] = [];
  const requests = get('/a') + getLast('/end');

  const ours = await exchange(requests, ({ url = '' }, response) => {
    sent.push(send(response, url.repeat(times)));
  });
  const ofNode = await exchange(requests, ({ url = '' }, response) => sendByNode(response, url.repeat(times)));

  expect(ours).toBe(ofNode);
  expect(ours).toContain('x-ms-client-request-id: caf\u00e9\r\n');
  expect(ours).toContain('Date: now\r\n');
  // The connection ends with the second one, which Node.js must send.
  expect(sent).toEqual([true, false]);
});

it.each([
  ['a short head', 1000, 'W/"1"'],
  ['a head that does not fit before the page', 1000, `W/"${'1'.repeat(5000)}"`],
  ['more than the socket takes at once', 5_000_000, 'W/"1"'],
])('A page with %s has the bytes of an answer of Node.js', async (_, length, etag) => {
  const long = { ...head, headers: ['ETag', etag, 'Transfer-Encoding', 'chunked', 'Date', 'now'] };
  const body = 'x'.repeat(length);
  const sendByNodeAlone = (response: ServerResponse) => {
    response.removeHeader('connection');
    response.writeHead(long.status, long.headers);
    response.end(body);
  };

  const ours = await exchange(get('/a') + getLast('/end'), (_request, response) => {
    const page = memory.take(length);
    page.bytes.write(body, 'latin1');
    response.once('close', () => page.release());
    if (!sendPage(response, long, page)) sendByNodeAlone(response);
  });
  const ofNode = await exchange(get('/a') + getLast('/end'), (_request, response) => sendByNodeAlone(response));

  expect(ours).toBe(ofNode);
});

it('Answers to requests that were sent together come in the order of the requests', async () => {
  const waiting: (() => void)[] = [];

  const received = await exchange(get('/1') + get('/2') + get('/3') + getLast('/4'), ({ url = '' }, response) => {
    waiting.push(() => send(response, url));
    if (url !== '/4') return;
    // The last request is answered first.
    for (const answer of waiting.reverse()) answer();
  });

  expect(received.match(/^\/\d/gm)).toEqual(['/1', '/2', '/3', '/4']);
});

it('The next request of a connection is answered after a large answer was read', async () => {
  const large = 'x'.repeat(20_000_000);

  const received = await exchange(get('/large') + getLast('/end'), ({ url = '' }, response) => {
    send(response, url === '/large' ? large : url);
  });

  expect(received.length).toBeGreaterThan(large.length);
  expect(received).toMatch(/\r\n\/end\r\n0\r\n\r\n$/);
});

it.each([
  ['a line end', 'a\r\nSet-Cookie: b'],
  ['a character that is not of one byte', '\u0100'],
])('A header with %s is left to Node.js, which rejects it', async (_, value) => {
  const received = await exchange(get('/') + getLast('/end'), ({ url }, response) => {
    if (url === '/') expect(sendText(response, { ...head, headers: ['ETag', value] }, '', false)).toBe(false);
    send(response, 'text');
  });

  expect(received).not.toContain(value);
});
