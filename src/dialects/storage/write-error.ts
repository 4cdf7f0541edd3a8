import { writeJsonString } from '../../entity/stored/json-text.js';
import type { Representation } from '../../formats/representation.js';
import type { TableError } from '../../protocol/errors.js';
import { bearerChallenge, frontEndServerName, metadataNamespace } from '../../protocol/headers.js';
import { lowerAscii } from '../../protocol/names.js';
import { protocolVersions } from '../../protocol/versions.js';
import { escapeXmlText } from '../../protocol/xml/xml-text.js';
import type { RequestFacts, WrittenError } from '../dialect.js';
import { describeError } from './describe-error.js';
import type { CatalogueEntry } from './error-catalogue.js';
import { addCommonHeaders, addVersionHeader, errorType } from './headers.js';

/** Returns the text of an error: message, request id, time. `Time` always has seven digits. Source: errors 1. */
export function errorText(message: string, requestId: string, now: Date): string {
  // The clock has milliseconds. The other digits are zeros.
  return `${message}\nRequestId:${requestId}\nTime:${now.toISOString().slice(0, -1)}0000Z`;
}

/** Returns the body of an OData error: XML without a prefix, or JSON. Source: errors 1; atom 6. */
export function writeODataBody(code: string, text: string, { level }: Representation): string {
  if (level !== 'atom') return writeErrorJson(code, text);
  return (
    `<?xml version="1.0" encoding="utf-8"?><error xmlns="${metadataNamespace}"><code>${code}</code>` +
    `<message xml:lang="en-US">${escapeXmlText(text)}</message></error>`
  );
}

/** Returns the JSON of an error, the same at every level and in every layer. Source: errors 1. */
function writeErrorJson(code: string, text: string): string {
  return `{"odata.error":{"code":"${code}","message":{"lang":"en-US","value":${writeJsonString(text)}}}}`;
}

/** Writes an error in its recorded format. Source: operations 4.4. */
export function writeError(error: TableError, facts: RequestFacts, now: Date): WrittenError {
  const { code } = error;
  const entry = describeError(error);
  const text = errorText(entry.message, facts.requestId, now);
  const isOData = entry.format === 'early' || entry.format === 'engine';
  switch (isOData && facts.speaksXml ? 'xml' : entry.format) {
    case 'early':
    case 'engine':
      return writeODataError(code, entry, text, facts);
    case 'web-server':
      return writeWebServerError('');
    case 'web-server-closing':
      return { ...writeWebServerError('\r\n'), closes: true };
    case 'version':
      return writeVersionError(code, entry, text, facts);
    case 'xml':
    case 'unmatched':
      return writeFrontEndError(code, entry, text, facts, false);
    default:
      return writeFrontEndError(code, entry, text, facts, asksForJson(facts.accept));
  }
}

/** Writes B1 and B2 in the negotiated format. */
function writeODataError(code: string, entry: CatalogueEntry, text: string, facts: RequestFacts): WrittenError {
  const headers = ['Content-Type', errorType(facts.representation)];
  if (entry.format === 'engine') {
    headers.push('Cache-Control', 'no-cache');
    const { prefer } = facts.representation;
    if (prefer !== undefined) headers.push('Preference-Applied', prefer);
  }
  headers.push('X-Content-Type-Options', 'nosniff');
  addCommonHeaders(headers, facts);
  addVersionHeader(headers, facts);
  return {
    status: entry.status,
    headers,
    body: writeODataBody(code, text, facts.representation),
  };
}

/** Writes A1 to A3 and the rejection of a token: a bare type, a length, the message as reason phrase. */
function writeFrontEndError(
  code: string,
  { status, message, format, tenant }: CatalogueEntry,
  text: string,
  facts: RequestFacts,
  json: boolean,
): WrittenError {
  const body = json ? writeErrorJson(code, text) : writeErrorXml(code, text);
  const isEarly = format === 'authentication' || format === 'token';
  const headers = ['Content-Length', String(Buffer.byteLength(body))];
  headers.push('Content-Type', json ? 'application/json' : 'application/xml');
  addCommonHeaders(headers, facts, isEarly ? frontEndServerName : undefined);
  if (!isEarly && format !== 'unmatched') addVersionHeader(headers, facts);
  if (format === 'challenge' || format === 'token') headers.push('WWW-Authenticate', bearerChallenge(tenant));
  if (facts.version >= protocolVersions.errorCodeSent) headers.push('x-ms-error-code', code);
  return { status, reason: reasonPhrase(message), headers, body };
}

/** Writes the page of the web server in front of the service. `lineEnd` ends each line. Source: operations 4.4. */
function writeWebServerError(lineEnd: string): WrittenError {
  const body = [
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN""http://www.w3.org/TR/html4/strict.dtd">',
    '<HTML><HEAD><TITLE>Bad Request</TITLE>',
    '<META HTTP-EQUIV="Content-Type" Content="text/html; charset=us-ascii"></HEAD>',
    '<BODY><h2>Bad Request - Invalid URL</h2>',
    '<hr><p>HTTP Error 400. The request URL is invalid.</p>',
    '</BODY></HTML>',
  ].join(lineEnd);
  const text = body + lineEnd;
  const headers = ['Content-Length', String(text.length), 'Content-Type', 'text/html; charset=us-ascii'];
  headers.push('Server', frontEndServerName);
  return { status: 400, headers, body: text };
}

/** Writes the error of a malformed version, which comes before negotiation. Source: operations 2.1. */
function writeVersionError(
  code: string,
  { status }: CatalogueEntry,
  text: string,
  { requestId }: RequestFacts,
): WrittenError {
  const body =
    '\ufeff<?xml version="1.0" encoding="utf-8" standalone="yes"?>\r\n' +
    `<error xmlns="${metadataNamespace}">\r\n  <code>${code}</code>\r\n` +
    `  <message xml:lang="en-US">${escapeXmlText(text)}</message>\r\n</error>`;
  const headers = ['Content-Length', String(Buffer.byteLength(body)), 'Content-Type', 'application/xml'];
  headers.push('Server', frontEndServerName, 'x-ms-request-id', requestId);
  return { status, headers, body };
}

function writeErrorXml(code: string, text: string): string {
  return (
    `<?xml version="1.0" encoding="utf-8"?><m:error xmlns:m="${metadataNamespace}"><m:code>${code}</m:code>` +
    `<m:message xml:lang="en-US">${escapeXmlText(text)}</m:message></m:error>`
  );
}

/** Returns whether an error of the front end is JSON, which it is only if the request names JSON. Source: operations 5.1. */
function asksForJson(accept: string | undefined): boolean {
  return lowerAscii(accept ?? '').includes('application/json');
}

/** Returns the first line of a message as reason phrase, which may contain only printable ASCII. */
function reasonPhrase(message: string): string {
  return message.split('\n', 1)[0]?.replace(/[^\x20-\x7e]/g, '?') ?? '';
}
