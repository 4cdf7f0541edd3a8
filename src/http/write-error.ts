import { writeJsonString } from '../entity/json-text.js';
import type { TableError } from '../protocol/errors.js';
import { bearerChallenge, frontEndServerName, metadataNamespace } from '../protocol/headers.js';
import { escapeXmlText } from '../protocol/xml-text.js';
import type { Exchange } from './exchange.js';
import { asksForJson } from './negotiate.js';
import { addCorsHeaders, commonHeaders, jsonType, send, versionHeader } from './write-answer.js';

/**
 * The text of an error: message, request id, time. `Time` always has seven digits. Source: errors, section 1.
 */
export function errorText(message: string, requestId: string, now: Date): string {
  // Milliseconds are all the machine's clock gives; the rest of the seven digits are zeros.
  return `${message}\nRequestId:${requestId}\nTime:${now.toISOString().slice(0, -1)}0000Z`;
}

/** The OData JSON of an error, the same at every level and in every layer. Source: errors, section 1. */
export function writeErrorJson(code: string, text: string): string {
  return `{"odata.error":{"code":"${code}","message":{"lang":"en-US","value":${writeJsonString(text)}}}}`;
}

/** Writes a refusal in its recorded form. Source: operations 4.4. */
export function writeError(exchange: Exchange, error: TableError, now: Date): void {
  const text = errorText(error.message, exchange.requestId, now);
  const isOData = error.clothes === 'early' || error.clothes === 'engine';
  switch (isOData && exchange.speaksXml ? 'xml' : error.clothes) {
    case 'early':
    case 'engine':
      writeODataError(exchange, error, text);
      break;
    case 'version':
      writeVersionError(exchange, error, text);
      break;
    case 'xml':
      writeFrontEndError(exchange, error, text, false);
      break;
    default:
      writeFrontEndError(exchange, error, text, asksForJson(exchange.accept));
  }
}

/** B1 and B2: OData JSON at the negotiated level. */
function writeODataError(exchange: Exchange, error: TableError, text: string): void {
  const headers = ['Content-Type', jsonType(exchange.level)];
  if (error.clothes === 'engine') {
    headers.push('Cache-Control', 'no-cache');
    if (exchange.prefer !== undefined) headers.push('Preference-Applied', exchange.prefer);
  }
  headers.push('X-Content-Type-Options', 'nosniff', ...commonHeaders(exchange), ...versionHeader(exchange));
  addCorsHeaders(exchange, headers);
  send(exchange, error.status, undefined, headers, writeErrorJson(error.code, text));
}

/** A1 to A3: bare type, length, the message as reason phrase. */
function writeFrontEndError(exchange: Exchange, error: TableError, text: string, json: boolean): void {
  const body = json ? writeErrorJson(error.code, text) : writeErrorXml(error.code, text);
  const authentication = error.clothes === 'authentication';
  const headers = ['Content-Length', String(Buffer.byteLength(body))];
  headers.push('Content-Type', json ? 'application/json' : 'application/xml');
  headers.push(...commonHeaders(exchange, authentication ? frontEndServerName : undefined));
  if (!authentication) headers.push(...versionHeader(exchange));
  if (error.clothes === 'challenge') headers.push('WWW-Authenticate', bearerChallenge);
  headers.push('x-ms-error-code', error.code);
  send(exchange, error.status, reasonPhrase(error.message), headers, body);
}

/** The form of a malformed version, before anything is negotiated. Source: operations 2.1. */
function writeVersionError(exchange: Exchange, error: TableError, text: string): void {
  const body =
    '\ufeff<?xml version="1.0" encoding="utf-8" standalone="yes"?>\r\n' +
    `<error xmlns="${metadataNamespace}">\r\n  <code>${error.code}</code>\r\n` +
    `  <message xml:lang="en-US">${escapeXmlText(text)}</message>\r\n</error>`;
  const headers = ['Content-Length', String(Buffer.byteLength(body)), 'Content-Type', 'application/xml'];
  headers.push('Server', frontEndServerName, 'x-ms-request-id', exchange.requestId);
  send(exchange, error.status, undefined, headers, body);
}

function writeErrorXml(code: string, text: string): string {
  return (
    `<?xml version="1.0" encoding="utf-8"?><m:error xmlns:m="${metadataNamespace}"><m:code>${code}</m:code>` +
    `<m:message xml:lang="en-US">${escapeXmlText(text)}</m:message></m:error>`
  );
}

/** A status line takes printable ASCII only. */
function reasonPhrase(message: string): string {
  return message.split('\n', 1)[0]?.replace(/[^\x20-\x7e]/g, '?') ?? '';
}
