/**
 * Versions of the protocol (`x-ms-version`) at which something changes for tables. All are dates and compare as text.
 * Source: operations 2.2.
 */
export const protocolVersions = {
  /** The first version. */
  oldest: '2008-10-27',
  /** Answers carry `x-ms-version`. */
  versionAnswered: '2009-09-19',
  /** Without `If-Match`, writes create what is missing; before, `If-Match` was required. */
  upsert: '2011-08-18',
  /** JSON payloads exist. */
  json: '2013-08-15',
  /** Metrics are kept by the hour and by the minute, and CORS rules exist; before, metrics were kept by the hour alone. */
  cors: '2013-08-15',
  /** Atom is gone: all payloads are JSON. */
  jsonOnly: '2015-12-11',
  /** `x-ms-client-request-id` is echoed. */
  clientRequestIdEchoed: '2019-02-02',
  /** A request without credentials is challenged with 401. */
  bearerChallenge: '2019-12-12',
} as const;

/**
 * Versions of a shared access signature (`sv`) at which its form or its meaning changes.
 * Source: auth 2; auth 2.1; auth 2.2; operations 2.2.
 */
export const signatureVersions = {
  /** The first version of a table SAS. */
  tableSignature: '2012-02-12',
  /** `x-ms-version` decides the version of the request; before, the version of the signature does. Source: operations 2.1. */
  headerCounts: '2014-02-14',
  /** The signed resource begins with `/table`. */
  serviceNamed: '2015-02-21',
  /** The first version of an account SAS. */
  accountSignature: '2015-04-05',
  /** Caller and protocol (`sip`, `spr`) are signed. */
  callerSigned: '2015-04-05',
  /** An operation that the signature does not allow is refused with 403; before, with 404. */
  refusedAsForbidden: '2015-04-05',
  /** The version that `tabularium sas` signs with: the newest whose form all clients agree on. Ours. */
  made: '2019-02-02',
  /** An account SAS signs its encryption scope (`ses`). */
  encryptionScopeSigned: '2020-12-06',
} as const;

/** The newest version that this server knows; it serves a newer one as this one. */
export const newestVersion = '2026-06-06';

/** Returns whether a header's value is a version: a date that exists and is not before the first version. */
export function isVersion(text: string): boolean {
  if (!/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/.test(text)) return false;
  if (text < protocolVersions.oldest) return false;
  // Every month has the days 1 to 28; only later days need the calendar.
  if (text < newestVersion && Number(text.slice(8)) <= 28) return true;
  const instant = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
}
