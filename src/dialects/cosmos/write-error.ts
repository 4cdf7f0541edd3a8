import type { TableError } from '../../protocol/errors.js';
import type { RequestFacts, WrittenError } from '../dialect.js';
import { type CosmosError, describeCosmosError } from './error-catalogue.js';
import { answerHeaders, jsonType } from './write-answer.js';

/** The metadata level of an error. Source: cosmos 8; cosmos 15.2. */
type ErrorLevel = 'full' | 'asked' | 'accepted';

/** The errors of an upsert that have the type of `Accept`. */
const statusesOfAccept: ReadonlySet<number> = new Set([401, 403, 404]);

const keyFaults: ReadonlySet<string | undefined> = new Set([
  'path-syntax',
  'path-string-unterminated',
  'path-character',
]);

const batchPath = /\/(?:\$|%24)batch\/?$/i;

/**
 * Returns the `Content-Type` of an error. It depends on verb and headers, not on the operation: many requests are rejected before
 * their operation is known. Source: cosmos 8; cosmos 15.2.
 */
function typeOfError(error: TableError, status: number, facts: RequestFacts): string {
  const { accept, representation } = facts;
  switch (levelOf(error, status, facts)) {
    case 'full':
      return jsonType('fullmetadata');
    case 'asked':
      return jsonType(representation.level);
    case 'accepted':
      return accept?.includes('odata=') ? jsonType(representation.level) : 'application/json';
  }
}

function levelOf({ code, variant }: TableError, status: number, { request, speaksXml }: RequestFacts): ErrorLevel {
  const { method, target, headers } = request;
  const isOfPath = code === 'InvalidUri' || keyFaults.has(variant?.name);
  if (speaksXml || isOfPath) return 'full';
  if (method === 'GET') return 'asked';
  const verb = method === 'POST' ? nameIn(headers['x-http-method'] ?? method) : method;
  if (verb === 'POST') {
    const hasContent =
      !batchPath.test(target.split('?', 1)[0] ?? '') && nameIn(headers['prefer']) !== 'RETURN-NO-CONTENT';
    // Errors of the body have full metadata, except those of the engine.
    const isOfBody = status === 400 && variant?.name !== 'table-name-too-long';
    return hasContent && !isOfBody ? 'asked' : 'full';
  }
  const isUpsert = verb !== 'DELETE' && !headers['if-match'];
  return isUpsert && statusesOfAccept.has(status) ? 'accepted' : 'full';
}

/** Returns the name in a header, which may have blanks around it and any letter case. */
function nameIn(value: string | readonly string[] | undefined): string {
  return String(value ?? '')
    .trim()
    .toUpperCase();
}

/** The newest recorded build of the service. Source: cosmos 15. */
const build = 'documentdb-dotnet-sdk/2.14.0 Host/64-bit MicrosoftWindowsNT/10.0.20348.0';

/** Replaces the address within the engine, its statistics and its build. Source: cosmos 15.11; cosmos 15.20. */
const engineAddress = 'Request URI: (shortened)';

/**
 * Returns the body of an error. `prefix` stands before the message. In a part of a transaction, an additional line feed
 * precedes the id of the request. Source: cosmos 6; cosmos 8.
 */
export function writeErrorBody(
  { code, message, form }: CosmosError,
  requestId: string,
  { prefix = '', feeds = '\n' }: { readonly prefix?: string; readonly feeds?: string } = {},
): string {
  const activity = form === 'short' ? '' : `\r\nActivityId: ${requestId}, ${form === 'long' ? build : engineAddress}`;
  const value = `${prefix}${message}${activity}${feeds}RequestID:${requestId}\n`;
  return JSON.stringify({ 'odata.error': { code, message: { lang: 'en-us', value } } });
}

/** Writes an error. It is always JSON, with a line end. Source: cosmos 8. */
export function writeError(error: TableError, facts: RequestFacts): WrittenError {
  const described = describeCosmosError(error);
  const { operation, requestId } = facts;
  // If a transaction is rejected as a whole, the text names the operation at fault.
  const prefix = operation === 'Entity Group Transaction' && error.at !== undefined ? `${error.at}:` : '';
  return {
    status: described.status,
    headers: answerHeaders(facts, { contentType: typeOfError(error, described.status, facts) }),
    body: `${writeErrorBody(described, requestId, { prefix })}\r\n`,
  };
}
