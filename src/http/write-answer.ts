import type { ServerResponse } from 'node:http';
import type { Answer } from '../operations/operation.js';
import type { PageBuffer } from '../operations/page-buffer.js';
import { alwaysSent, exposableHeaders } from '../protocol/headers.js';
import { corsHeaders } from './cors.js';
import type { Exchange } from './exchange.js';

/**
 * Writes what an operation answers, in the dialect of the exchange. Bodies are chunked, a 204 says its length.
 * Source: operations 4.1.
 */
export function writeAnswer(exchange: Exchange, answer: Answer): void {
  if (answer.xml !== undefined || answer.plain) {
    writePlainAnswer(exchange, answer);
    return;
  }
  const { dialect } = exchange;
  const type = answer.json === undefined ? answer.multipart?.contentType : dialect.jsonType(exchange.level);
  const headers = dialect.answerHeaders(exchange, type, answer);
  addCorsHeaders(exchange, headers);
  send(exchange, answer.status, undefined, headers, answer.multipart?.body ?? answer.json);
}

/** An answer outside OData: XML, the answer to a preflight request, or a change of settings. */
function writePlainAnswer(exchange: Exchange, { status, xml, preflight }: Answer): void {
  const headers = exchange.dialect.plainHeaders(exchange, xml ? 'application/xml' : undefined);
  if (preflight) headers.push(...preflight);
  else addCorsHeaders(exchange, headers);
  send(exchange, status, undefined, headers, xml);
}

/** Adds what pages of other origins need to read the answer, if the account has rules for them. */
export function addCorsHeaders({ request, corsRules, speaksXml }: Exchange, headers: string[]): void {
  if (corsRules.length === 0) return;
  const sent = exposableHeaders.filter(
    (name) => alwaysSent.includes(name) || (headers.includes(name) && !(speaksXml && name === 'Content-Type')),
  );
  headers.push(...corsHeaders(request, corsRules, sent));
}

/**
 * Sends an answer. A body without `Content-Length` among the headers goes out chunked.
 *
 * Node's own `Connection` and `Keep-Alive` are held back: the service sends neither.
 */
export function send(
  exchange: Exchange,
  status: number,
  reason: string | undefined,
  headers: string[],
  body: string | PageBuffer | undefined,
): void {
  const { request, response } = exchange;
  const bytes = body === undefined ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.bytes.length;
  exchange.answerBytes = bytes;
  if (request.httpVersion === '1.1') response.removeHeader('connection');
  if (body === undefined) headers.push('Content-Length', '0');
  else if (!headers.includes('Content-Length')) {
    if (request.httpVersion === '1.1') headers.push('Transfer-Encoding', 'chunked');
    else headers.push('Content-Length', String(bytes));
  }
  if (reason === undefined) response.writeHead(status, headers);
  else response.writeHead(status, reason, headers);
  if (body !== undefined && typeof body !== 'string') sendPage(response, body, request.method === 'HEAD');
  else if (body === undefined || request.method === 'HEAD') response.end();
  else if (response.chunkedEncoding && body !== '') sendOneChunk(response, body, bytes);
  else response.end(body, 'utf8');
}

/** Sends a page, and gives its memory back as soon as the answer is out or its client has left. */
function sendPage(response: ServerResponse, page: PageBuffer, isHead: boolean): void {
  if (isHead || response.destroyed) {
    page.release();
    response.end();
    return;
  }
  // Not `finish`, which never comes when the client leaves.
  response.once('close', () => page.release());
  response.end(page.bytes);
}

/**
 * Ends an answer whose head says that it is chunked with a single chunk, framed here: Node would hand over head, size,
 * text and end in four pieces, and gathering them costs a point read a fifth of its time. Source: docs/benchmarks.md.
 */
function sendOneChunk(response: ServerResponse, body: string, bytes: number): void {
  response.chunkedEncoding = false;
  response.end(`${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`, 'utf8');
}
