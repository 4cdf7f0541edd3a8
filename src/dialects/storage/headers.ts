import type { Representation } from '../../formats/representation.js';
import { serverName } from '../../protocol/headers.js';
import type { MetadataLevel } from '../../protocol/values/edm.js';
import { protocolVersions } from '../../protocol/versions.js';
import type { RequestFacts } from '../dialect.js';
import type { DescribedAnswer } from './describe-answer.js';

/** Returns the `Content-Type` of an answer of tables or entities with a body. Source: recordings-facts 0; atom 2. */
export function answerType({ level }: Representation, { isPage }: Pick<DescribedAnswer, 'isPage'>): string {
  return level === 'atom' ? `application/atom+xml;type=${isPage ? 'feed' : 'entry'};charset=utf-8` : jsonType(level);
}

/** Returns the `Content-Type` of every JSON answer at a level. Source: recordings-facts 0. */
function jsonType(level: MetadataLevel): string {
  return `application/json;odata=${level};streaming=true;charset=utf-8`;
}

/** Returns the `Content-Type` of an OData error. Source: recordings-facts 0; atom 6. */
export function errorType({ level }: Representation): string {
  return level === 'atom' ? 'application/xml;charset=utf-8' : jsonType(level);
}

/** Adds the headers of every answer of the service itself. Source: operations 4.1; recordings-facts 10. */
export function addCommonHeaders(headers: string[], facts: RequestFacts, server: string = serverName): void {
  const { requestId, clientRequestId, version } = facts;
  headers.push('Server', server, 'x-ms-request-id', requestId);
  const isEchoed = clientRequestId !== undefined && version >= protocolVersions.clientRequestIdEchoed;
  if (isEchoed) headers.push('x-ms-client-request-id', clientRequestId);
}

/** Adds the version header: the version that the request names. The oldest versions do not have it. Source: operations 2.2. */
export function addVersionHeader(headers: string[], { namedVersion, version }: RequestFacts): void {
  if (version >= protocolVersions.versionAnswered) headers.push('x-ms-version', namedVersion ?? version);
}

/** Returns the headers of an answer of tables or entities. Source: operations 4.1. */
export function answerHeaders(
  facts: RequestFacts,
  contentType: string | undefined,
  own: Omit<DescribedAnswer, 'status'>,
): string[] {
  const headers = ['Cache-Control', 'no-cache'];
  if (contentType !== undefined) headers.push('Content-Type', contentType);
  if (own.etag !== undefined) headers.push('ETag', own.etag);
  if (own.location !== undefined) headers.push('Location', own.location);
  if (own.dataServiceId !== undefined) headers.push('DataServiceId', own.dataServiceId);
  if (own.preferenceApplied !== undefined) headers.push('Preference-Applied', own.preferenceApplied);
  if (own.continuation !== undefined) headers.push(...own.continuation);
  headers.push('X-Content-Type-Options', 'nosniff');
  addCommonHeaders(headers, facts);
  addVersionHeader(headers, facts);
  return headers;
}

/** Returns the headers of an answer outside OData, without `Cache-Control` and nosniff. Source: operations 4.1. */
export function plainHeaders(facts: RequestFacts, contentType: string | undefined): string[] {
  const headers = contentType === undefined ? [] : ['Content-Type', contentType];
  addCommonHeaders(headers, facts);
  addVersionHeader(headers, facts);
  return headers;
}
