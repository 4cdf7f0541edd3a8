import type { TableError } from '../../protocol/errors.js';
import type { FailedTransaction, OwnHeaders, PartFacts, WrittenPart } from '../dialect.js';
import { describeError } from './describe-error.js';
import { jsonType } from './headers.js';
import { errorText, writeErrorJson } from './write-error.js';

/** Returns the header lines of one part of a transaction's answer, in the recorded order. Source: batch 3. */
export function partHeaders(part: PartFacts, contentType: string | undefined, own: OwnHeaders): readonly string[] {
  const { preferenceApplied, location, dataServiceId, etag, continuation = [] } = own;
  const headers = contentType === undefined ? [] : ['DataServiceVersion: 3.0;', `Content-Type: ${contentType}`];
  if (part.contentId !== undefined) headers.push(`Content-ID: ${part.contentId}`);
  headers.push('X-Content-Type-Options: nosniff', 'Cache-Control: no-cache');
  if (preferenceApplied !== undefined) headers.push(`Preference-Applied: ${preferenceApplied}`);
  if (contentType === undefined)
    headers.push(`DataServiceVersion: ${preferenceApplied === undefined ? '1.0' : '3.0'};`);
  if (location !== undefined) headers.push(`Location: ${location}`);
  if (dataServiceId !== undefined) headers.push(`DataServiceId: ${dataServiceId}`);
  if (etag !== undefined) headers.push(`ETag: ${etag}`);
  for (let at = 0; at < continuation.length; at += 2) headers.push(`${continuation[at]}: ${continuation[at + 1]}`);
  return headers;
}

/**
 * Returns the one part that a failed transaction answers with. The message begins with the position of the operation at
 * fault, except for an engine error of a change set of one, which is carried out like a request of its own.
 *
 * Source: batch 4.
 */
export function writeErrorPart(
  error: TableError,
  { requestId, isSingle, part }: FailedTransaction,
  now: Date,
): WrittenPart {
  const { status, message, format } = describeError(error);
  const isNumbered = format !== 'engine' || !isSingle;
  const text = errorText(isNumbered ? `${error.at ?? 0}:${message}` : message, requestId, now);
  const headers = part.contentId === undefined ? [] : [`Content-ID: ${part.contentId}`];
  headers.push('X-Content-Type-Options: nosniff');
  if (format === 'engine') {
    headers.push('Cache-Control: no-cache');
    if (part.prefer !== undefined) headers.push(`Preference-Applied: ${part.prefer}`);
  }
  headers.push('DataServiceVersion: 3.0;', `Content-Type: ${jsonType(part.level)}`);
  return { status, headers, body: writeErrorJson(error.code, text) };
}
