import type { Representation } from '../../formats/representation.js';
import type { RequestFacts } from '../dialect.js';
import type { DescribedAnswer } from './describe-answer.js';

/** Returns the `Content-Type` of JSON at a level. Source: cosmos 1. */
export function jsonType(level: Representation['level']): string {
  return `application/json;odata=${level === 'atom' ? 'minimalmetadata' : level}`;
}

/** Returns the headers of an answer. There are hardly any that all answers have. Source: cosmos 1; cosmos 10. */
export function answerHeaders(
  { requestId }: Pick<RequestFacts, 'requestId'>,
  { contentType, etag, location, preferenceApplied, continuation = [] }: Omit<DescribedAnswer, 'status'>,
): string[] {
  const headers: string[] = [];
  if (contentType !== undefined) headers.push('Content-Type', contentType);
  if (etag !== undefined) headers.push('ETag', etag);
  if (location !== undefined) headers.push('Location', location);
  if (preferenceApplied !== undefined) headers.push('Preference-Applied', preferenceApplied);
  headers.push(...continuation, 'x-ms-request-id', requestId);
  return headers;
}
