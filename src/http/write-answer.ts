import type { ServerResponse } from 'node:http';
import type { WrittenHead } from '../dialects/dialect.js';
import type { Body, PageBuffer } from '../formats/json/page-buffer.js';
import type { TableError } from '../protocol/errors.js';
import { alwaysSent, exposableHeaders } from '../protocol/headers.js';
import { corsHeaders, preflightHeaders } from './cors.js';
import type { Exchange } from './exchange.js';
import type { ServiceAnswer } from './service-answer.js';
import { writeMultipart } from './write-multipart.js';

/**
 * Writes the answer of an exchange, in its dialect, and sends it.
 *
 * Errors: Abandoned if the client leaves while a long page is written.
 */
export async function writeAnswer(exchange: Exchange, answer: ServiceAnswer): Promise<void> {
  const { dialect } = exchange;
  if (answer.kind === 'preflight') {
    const head = dialect.writePreflightHead(exchange);
    head.headers.push(...preflightHeaders(answer));
    send(exchange, head, undefined);
  } else if (answer.kind === 'transaction' || answer.kind === 'failed-transaction') {
    const { contentType, body } = await writeMultipart(answer, exchange);
    send(exchange, dialect.writeTransactionHead(contentType, exchange), body);
  } else {
    const written = dialect.writeAnswer(answer, exchange);
    const { body } = written;
    send(exchange, written, body instanceof Promise ? await body : body);
  }
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
    (name) => alwaysSent.includes(name) || (headers.includes(name) && !(speaksXml && name === 'Content-Type')),
  );
  headers.push(...corsHeaders(request, corsRules, sent));
}

/**
 * Sends an answer. A body without `Content-Length` among the headers is sent in chunks. Source: operations 4.1.
 *
 * Node.js adds `Connection` and `Keep-Alive`, which the service does not send, so they are removed.
 */
function send(
  exchange: Exchange,
  { status, reason, headers, hasCorsHeaders }: WrittenHead,
  body: Body | undefined,
): void {
  const { request, response } = exchange;
  const bytes = body === undefined ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.bytes.length;
  exchange.answerBytes = bytes;
  if (hasCorsHeaders) addCorsHeaders(exchange, headers);
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

/** Sends a page, and releases its memory when the answer is sent or its client has left. */
function sendPage(response: ServerResponse, page: PageBuffer, isHead: boolean): void {
  if (isHead || response.destroyed) {
    page.release();
    response.end();
    return;
  }
  // Not `finish`, which does not come if the client leaves.
  response.once('close', () => page.release());
  response.end(page.bytes);
}

/**
 * Ends an answer in one chunk, which is framed here. Node.js would write headers, size, text and end as four pieces, and
 * joining them takes a fifth of the time of a point read. Source: docs/benchmarks.md.
 */
function sendOneChunk(response: ServerResponse, body: string, bytes: number): void {
  response.chunkedEncoding = false;
  response.end(`${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`, 'utf8');
}
