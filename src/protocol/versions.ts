/**
 * The versions of the protocol (`x-ms-version`) that change behavior for tables. All are dates, which compare as text.
 * Source: operations 2.2.
 */
export const protocolVersions = {
  oldest: '2008-10-27',
  /** Answers carry `x-ms-version`. */
  versionAnswered: '2009-09-19',
  /** Update and merge without `If-Match` create a missing entity. Earlier versions require `If-Match`. */
  upsert: '2011-08-18',
  /** JSON payloads exist. */
  json: '2013-08-15',
  /** Adds CORS rules and metrics by the minute. Earlier versions have metrics by the hour only. */
  cors: '2013-08-15',
  /** Entities in JSON with minimal metadata have `odata.etag`. Source: operations 6. */
  etagAtMinimalMetadata: '2015-04-05',
  /** A client that names Atom is rejected. Atom remains the default for clients that name no type. Source: atom 1.1. */
  jsonOnly: '2015-12-11',
  /** A write of an XML document must accept XML. Source: operations 8.5. */
  xmlAcceptChecked: '2017-04-17',
  /** Errors outside of OData repeat their code in `x-ms-error-code`. Source: atom 1.3. */
  errorCodeSent: '2017-07-29',
  /** `x-ms-client-request-id` is echoed. */
  clientRequestIdEchoed: '2019-02-02',
  /** A request without credentials, or with a token that is not accepted, is challenged with 401. Source: auth 4. */
  bearerChallenge: '2020-12-06',
  /** The oldest version in which a bearer token is known to reach the access policies of a table. Source: auth 4. */
  policiesByToken: '2025-07-05',
  /** Tables have user delegation keys and signatures by them. Source: identity 5. */
  userDelegation: '2025-07-05',
} as const;

/**
 * The versions of a shared access signature (`sv`) that change its form or its meaning.
 * Source: auth 2; auth 2.1; auth 2.2; operations 2.2.
 */
export const signatureVersions = {
  /** The first version of a table SAS. */
  tableSignature: '2012-02-12',
  /** `x-ms-version` sets the version of the request. Before, the signature's version does. Source: operations 2.1. */
  headerCounts: '2014-02-14',
  /** The signed resource begins with `/table`. */
  serviceNamed: '2015-02-21',
  /** The first version of an account SAS. */
  accountSignature: '2015-04-05',
  /** Caller and protocol (`sip`, `spr`) are signed. */
  callerSigned: '2015-04-05',
  /** An operation that the signature does not permit is answered with 403. Before, with 404. */
  rejectedAsForbidden: '2015-04-05',
  /** The version that `tabularium sas` uses: the newest form on which all clients agree. (Our choice.) */
  default: '2019-02-02',
  /** An account SAS signs its encryption scope (`ses`). */
  encryptionScopeSigned: '2020-12-06',
} as const;

/** The newest version that this server implements. Requests with a newer version are answered as this one. */
export const newestVersion = '2026-06-06';

/** Returns whether a header's value is a version: a date that exists and is not earlier than the first version. */
export function isVersion(text: string): boolean {
  if (!/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/.test(text)) return false;
  if (text < protocolVersions.oldest) return false;
  // Every month has the days 1 to 28; only later days need the calendar.
  if (text < newestVersion && Number(text.slice(8)) <= 28) return true;
  const instant = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
}

/** Returns the version by which a request is served: the version that it names if it is known, otherwise the newest. */
export function servedVersion(named: string | undefined): string {
  return named === undefined || named > newestVersion ? newestVersion : named;
}
