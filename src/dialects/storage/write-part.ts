import type { Answer } from '../../operations/answer.js';
import type { TableError } from '../../protocol/errors.js';
import type { FailedTransaction, PartFacts, RequestFacts, WrittenPart } from '../dialect.js';
import { type DescribedAnswer, describeAnswer } from './describe-answer.js';
import { describeError } from './describe-error.js';
import { answerType, errorType } from './headers.js';
import { errorText, writeODataBody } from './write-error.js';

/** Writes the answer of one operation of a transaction. */
export function writePart(answer: Answer, part: PartFacts, facts: RequestFacts): WrittenPart {
  const described = describeAnswer(answer, part.representation, facts);
  return { status: described.status, headers: partHeaders(part, described), body: described.body };
}

/** Returns the header lines of one part, in the recorded order. Source: batch 3; atom 5. */
function partHeaders({ representation, contentId }: PartFacts, described: DescribedAnswer): string[] {
  const { body, preferenceApplied, location, dataServiceId, etag, continuation = [] } = described;
  const type = body === undefined ? undefined : answerType(representation, described);
  const headers =
    type === undefined
      ? []
      : [`DataServiceVersion: ${representation.level === 'atom' ? '2.0' : '3.0'};`, `Content-Type: ${type}`];
  if (contentId !== undefined) headers.push(`Content-ID: ${contentId}`);
  headers.push('X-Content-Type-Options: nosniff', 'Cache-Control: no-cache');
  if (preferenceApplied !== undefined) headers.push(`Preference-Applied: ${preferenceApplied}`);
  if (type === undefined) headers.push(`DataServiceVersion: ${preferenceApplied === undefined ? '1.0' : '3.0'};`);
  if (location !== undefined) headers.push(`Location: ${location}`);
  if (dataServiceId !== undefined) headers.push(`DataServiceId: ${dataServiceId}`);
  if (etag !== undefined) headers.push(`ETag: ${etag}`);
  for (let at = 0; at < continuation.length; at += 2) headers.push(`${continuation[at]}: ${continuation[at + 1]}`);
  return headers;
}

/**
 * Writes the one part with which a failed transaction is answered. The message begins with the position of the operation
 * at fault. It does not if the change set has one operation and the error is from the engine, because the service executes
 * that operation like a separate request. Nor does it if the operation was not found; the part then has no
 * `X-Content-Type-Options` either.
 *
 * Source: batch 3; batch 4.
 */
export function writeErrorPart(
  error: TableError,
  { isSingle, part, laterPrefer }: FailedTransaction,
  { requestId }: Pick<RequestFacts, 'requestId'>,
  now: Date,
): WrittenPart {
  const { status, message, format } = describeError(error);
  const isFound = error.variant?.name !== 'operation-empty';
  const isNumbered = isFound && (format !== 'engine' || !isSingle);
  const text = errorText(isNumbered ? `${error.at ?? 0}:${message}` : message, requestId, now);
  const prefer = laterPrefer ?? (format === 'engine' ? part.representation.prefer : undefined);
  const headers = part.contentId === undefined ? [] : [`Content-ID: ${part.contentId}`];
  if (isFound) headers.push('X-Content-Type-Options: nosniff');
  if (format === 'engine' || prefer !== undefined) headers.push('Cache-Control: no-cache');
  if (prefer !== undefined) headers.push(`Preference-Applied: ${prefer}`);
  const version = part.representation.level === 'atom' ? '1.0' : '3.0';
  headers.push(`DataServiceVersion: ${version};`, `Content-Type: ${errorType(part.representation)}`);
  return { status, headers, body: writeODataBody(error.code, text, part.representation) };
}
