import type { ServerResponse } from 'node:http';
import type { Answer } from '../operations/operation.js';
import type { PageBuffer } from '../operations/page-buffer.js';
import type { MetadataLevel } from '../protocol/edm.js';
import { alwaysSent, exposableHeaders, serverName } from '../protocol/headers.js';
import { protocolVersions } from '../protocol/versions.js';
import { corsHeaders } from './cors.js';
import { type Exchange, echoedRequestId } from './exchange.js';

/** The type of every JSON answer at a level. Source: recordings-facts 0.6. */
export function jsonType(level: MetadataLevel): string {
  return `application/json;odata=${level};streaming=true;charset=utf-8`;
}

/** What every answer of the service itself carries, as flat pairs for Node. */
export function commonHeaders(exchange: Exchange, server: string = serverName): string[] {
  const headers = ['Server', server, 'x-ms-request-id', exchange.requestId];
  const clientRequestId = echoedRequestId(exchange);
  if (clientRequestId !== undefined) headers.push('x-ms-client-request-id', clientRequestId);
  return headers;
}

/** The version of an answer: the one the request named. The oldest ones have none. Source: operations 2.2. */
export function versionHeader({ namedVersion, version }: Exchange): readonly string[] {
  return version < protocolVersions.versionAnswered ? [] : ['x-ms-version', namedVersion ?? version];
}

/**
 * Writes what an operation answers: the recorded headers and no others. Bodies are chunked, a 204 says its length.
 * Source: operations 4.1.
 */
export function writeAnswer(exchange: Exchange, answer: Answer): void {
  if (answer.xml !== undefined || answer.plain) {
    writePlainAnswer(exchange, answer);
    return;
  }
  const headers = ['Cache-Control', 'no-cache'];
  if (answer.json !== undefined) headers.push('Content-Type', jsonType(exchange.level));
  if (answer.multipart) headers.push('Content-Type', answer.multipart.contentType);
  if (answer.etag !== undefined) headers.push('ETag', answer.etag);
  if (answer.location !== undefined) headers.push('Location', answer.location);
  if (answer.dataServiceId !== undefined) headers.push('DataServiceId', answer.dataServiceId);
  if (answer.preferenceApplied !== undefined) headers.push('Preference-Applied', answer.preferenceApplied);
  if (answer.continuation) for (const pair of Object.entries(answer.continuation)) headers.push(...pair);
  headers.push('X-Content-Type-Options', 'nosniff', ...commonHeaders(exchange), ...versionHeader(exchange));
  addCorsHeaders(exchange, headers);
  send(exchange, answer.status, undefined, headers, answer.multipart?.body ?? answer.json);
}

/** An answer outside OData: neither `Cache-Control` nor nosniff. */
function writePlainAnswer(exchange: Exchange, { status, xml, preflight }: Answer): void {
  const headers = xml ? ['Content-Type', 'application/xml'] : [];
  headers.push(...commonHeaders(exchange), ...versionHeader(exchange));
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
 * text and end in four pieces, and gathering them costs a point read a fifth of its time. Source: measurements.
 */
function sendOneChunk(response: ServerResponse, body: string, bytes: number): void {
  response.chunkedEncoding = false;
  response.end(`${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`, 'utf8');
}
