import type { ServerResponse } from 'node:http';
import type { WrittenHead } from '../dialects/dialect.js';
import type { Body, PageBuffer } from '../formats/json/page-buffer.js';
import type { TableError } from '../protocol/errors.js';
import { alwaysSent, exposableHeaders } from '../protocol/headers.js';
import type { AnswerDelivery } from '../service/answer-delivery.js';
import { writeMultipart } from '../service/batch/write-multipart.js';
import { corsHeaders, preflightHeaders } from '../service/cors.js';
import type { Exchange } from '../service/exchange.js';
import type { ServiceAnswer } from '../service/service-answer.js';
import { sendPage, sendText, writeDate } from './send-text.js';

/**
 * Writes the answer of an exchange, in its dialect, and sends it: at once, or when the returned promise resolves.
 *
 * Errors: Abandoned if the client leaves while a long page is written.
 */
export function writeAnswer(exchange: Exchange, answer: ServiceAnswer): Promise<void> | undefined {
  const { dialect } = exchange;
  if (answer.kind === 'preflight') {
    const head = dialect.writePreflightHead(exchange);
    head.headers.push(...preflightHeaders(answer));
    send(exchange, head, undefined);
  } else if (answer.kind === 'transaction' || answer.kind === 'failed-transaction') {
    return writeMultipart(answer, exchange).then(({ contentType, body }) =>
      send(exchange, dialect.writeTransactionHead(contentType, exchange), body),
    );
  } else {
    const written = dialect.writeAnswer(answer, exchange);
    const { body } = written;
    if (body instanceof Promise) return body.then((done) => send(exchange, written, done));
    send(exchange, written, body);
  }
  return undefined;
}

/** Writes the error of an exchange, in its dialect, and sends it. */
export function writeError(exchange: Exchange, error: TableError, now: Date): void {
  const written = exchange.dialect.writeError(error, exchange, now);
  send(exchange, written, written.body);
}

/** Adds the headers that pages of other origins need to read the answer, if the account has CORS rules. */
function addCorsHeaders({ request, corsRules, speaksXml }: Exchange, headers: string[]): void {
  if (corsRules.length === 0) return;
  const sent = exposableHeaders.filter(
    (name) => alwaysSent.includes(name) || (hasHeader(headers, name) && !(speaksXml && name === 'Content-Type')),
  );
  headers.push(...corsHeaders(request, corsRules, sent));
}

/**
 * Sends an answer. A body without `Content-Length` among the headers is sent in chunks. Source: operations 4.1.
 *
 * Node.js adds `Connection` and `Keep-Alive`, which the service does not send, so they are removed.
 */
function send(exchange: Exchange, head: WrittenHead, body: Body | undefined): void {
  const { request, response } = exchange;
  const { status, reason, headers } = head;
  const bytes = body === undefined ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.bytes.length;
  exchange.status = status;
  exchange.answerBytes = bytes;
  if (body !== undefined) exchange.bodies?.noteAnswer(typeof body === 'string' ? body : body.bytes);
  addCorsHeaders(exchange, headers);
  if (exchange.askedHeaders.length > 0) headers.push(...exchange.askedHeaders);
  const hasLength = hasHeader(headers, 'Content-Length');
  const isChunked = body !== undefined && !hasLength && request.httpVersion === '1.1';
  if (isChunked) headers.push('Transfer-Encoding', 'chunked');
  else if (!hasLength && !head.isBare) headers.push('Content-Length', String(bytes));
  headers.push('Date', writeDate(exchange.now()));
  if (typeof body === 'object') releaseWhenSent(response, body);
  if (!exchange.delivery && sendWhole(exchange, head, body, isChunked)) return;
  if (request.httpVersion === '1.1') response.removeHeader('connection');
  if (reason === undefined) response.writeHead(status, headers);
  else response.writeHead(status, reason, headers);
  if (exchange.delivery) deliver(exchange.delivery, response, body, isChunked);
  else if (request.method === 'HEAD' || response.destroyed) response.end();
  else response.end(typeof body === 'object' ? body.bytes : body);
}

/** Sends an answer in one piece. Returns false and sends nothing if Node.js must send it. */
function sendWhole(
  { request, response, answerBytes, isRead, isGrouped }: Exchange,
  head: WrittenHead,
  body: Body | undefined,
  isChunked: boolean,
): boolean {
  if (!isRead && !request.complete) return false;
  if (typeof body === 'object') return isChunked && sendPage(response, head, body);
  const text = body ?? '';
  // Text with longer characters is not framed by its length.
  return answerBytes === text.length && sendText(response, head, isChunked ? inOneChunk(text) : text, isGrouped);
}

/** Returns whether a header is there. Values, which clients may choose, are between the names. */
function hasHeader(pairs: readonly string[], name: string): boolean {
  for (let at = 0; at < pairs.length; at += 2) if (pairs[at] === name) return true;
  return false;
}

/** Returns a text of one-byte characters as a body in chunks: one chunk, and the end. */
function inOneChunk(text: string): string {
  return text === '' ? '0\r\n\r\n' : `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
}

/** Hands an answer to what sends it in another way. The answer to HEAD has no body. */
function deliver(delivery: AnswerDelivery, response: ServerResponse, body: Body = '', isChunked = false): void {
  const bytes = typeof body === 'object' ? body.bytes : Buffer.from(body);
  delivery(response, response.req.method === 'HEAD' ? bytes.subarray(0, 0) : bytes, isChunked);
}

/** Releases the memory of a page when its answer is sent, or its client has left. */
function releaseWhenSent(response: ServerResponse, page: PageBuffer): void {
  // Not `finish`, which does not come if the client leaves.
  if (response.destroyed) page.release();
  else response.once('close', () => page.release());
}
