import type { TableError } from '../../../protocol/errors.js';
import type { RequestFacts, WrittenError } from '../../dialect.js';
import { answerHeaders } from '../headers.js';
import { type CosmosError, describeCosmosError } from './error-catalogue.js';
import { typeOfError } from './error-type.js';

/** What the newest recorded build of the service says of itself. Source: cosmos 15. */
const build = 'documentdb-dotnet-sdk/2.14.0 Host/64-bit MicrosoftWindowsNT/10.0.20348.0';

/** Stands for the address within the engine, its statistics and its build. Source: cosmos 15.11; cosmos 15.20. */
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
  // Of a transaction that is refused as a whole, the text tells which operation is at fault.
  const prefix = operation === 'Entity Group Transaction' && error.at !== undefined ? `${error.at}:` : '';
  return {
    status: described.status,
    headers: answerHeaders(facts, { contentType: typeOfError(error, described.status, facts) }),
    body: `${writeErrorBody(described, requestId, { prefix })}\r\n`,
  };
}
