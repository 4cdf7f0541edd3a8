/**
 * Versions of the protocol (`x-ms-version`) at which something changes for tables. All are dates and compare as text.
 * Source: operations, "What changed for tables".
 */
export const protocolVersions = {
  /** The first of all. */
  oldest: '2008-10-27',
  /** From here on answers have `x-ms-version`. */
  versionAnswered: '2009-09-19',
  /** From here on JSON only; before, clients may ask for Atom. */
  jsonOnly: '2015-12-11',
  /** From here on JSON payloads exist at all. */
  json: '2013-08-15',
  /** From here on `x-ms-client-request-id` is echoed. Source: recordings. */
  clientRequestIdEchoed: '2019-02-02',
  /** From here on an unauthenticated request is challenged with 401. */
  bearerChallenge: '2019-12-12',
  /** Without `If-Match`, writes create what is missing; before, `If-Match` was required. */
  upsert: '2011-08-18',
} as const;

/** The newest version whose behaviour this server knows; a newer one is served as this one. */
export const newestVersion = '2026-06-06';

/** Whether a header's value is a version at all: a date that exists, and not one before the first version. */
export function isVersion(text: string): boolean {
  if (!/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/.test(text)) return false;
  if (text < protocolVersions.oldest) return false;
  // Every month has these; only the days behind them are looked up.
  if (text < newestVersion && Number(text.slice(8)) <= 28) return true;
  const instant = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
}
