import type { Answer } from '../../operations/answer.js';
import type { TableError } from '../../protocol/errors.js';
import type { Dialect, PartFacts, RequestFacts, WrittenPart } from '../dialect.js';
import { describeCosmosError } from './error-catalogue.js';
import { operationRules } from './operation-rules.js';
import { requestRules } from './request-rules.js';
import { cosmosTraits } from './traits.js';
import { describeAnswer, jsonType, writeAnswer, writePreflightHead, writeTransactionHead } from './write-answer.js';
import { writeError, writeErrorBody } from './write-error.js';

/** Writes the answer of one operation of a transaction. Source: cosmos 6. */
function writePart(answer: Answer, { representation, contentId }: PartFacts, facts: RequestFacts): WrittenPart {
  const described = describeAnswer(answer, representation, facts);
  const { status, body, contentType, etag, preferenceApplied, location, continuation = [] } = described;
  let headers = etag === undefined ? '' : `ETag: ${etag}\r\n`;
  if (contentType !== undefined) headers += `Content-Type: ${contentType}\r\n`;
  if (preferenceApplied !== undefined) headers += `Preference-Applied: ${preferenceApplied}\r\n`;
  // In the answer of an operation, a percent sign of a key is encoded twice. Source: cosmos 15.12.
  if (location !== undefined) headers += `Location: ${location.replaceAll('%25', '%2525')}\r\n`;
  for (let at = 0; at < continuation.length; at += 2) headers += `${continuation[at]}: ${continuation[at + 1]}\r\n`;
  if (contentId !== undefined) headers += `Content-ID: ${contentId}\r\n`;
  return { status, headers, body };
}

/**
 * Writes the one part with which a failed transaction is answered. The message begins with the position of the operation at
 * fault, unless the table is missing. Source: cosmos 6.
 */
function writeErrorPart(error: TableError, { requestId }: Pick<RequestFacts, 'requestId'>): WrittenPart {
  const described = describeCosmosError(error);
  const isNumbered = error.code !== 'TableNotFound';
  // A script fails as a whole. Source: cosmos 15.20.
  const isScript = error.variant?.name === 'partition-keys';
  const form = isScript ? { prefix: '0:' } : isNumbered ? { prefix: `${error.at ?? 0}:`, feeds: '\n\n' } : {};
  return {
    status: described.status,
    headers: `Content-Type: ${jsonType('fullmetadata')}\r\n`,
    body: writeErrorBody(described, requestId, form),
  };
}

/** The dialect of Azure Cosmos DB for Table. */
export const cosmosDialect: Dialect = {
  name: 'cosmos',
  traits: cosmosTraits,
  requests: requestRules,
  operations: operationRules,
  multipart: { ofParts: '\n', afterChangeSet: '\n' },
  writeAnswer,
  writeTransactionHead,
  writePreflightHead,
  writeError,
  writePart,
  writeErrorPart: (error, _failed, facts) => writeErrorPart(error, facts),
};
