import type { HeaderFields } from '../protocol/header-fields.js';
import { lowerAscii } from '../protocol/names.js';
import { type AllowedHosts, hostName, hostRejection } from '../service/allowed-hosts.js';
import { schemeOf } from '../wire/connections/connection.js';
import type { ReservedRequest } from '../wire/reserved-endpoints.js';
import { type AdminAccess, isLoopback, rightOf } from './admin-access.js';
import { answerJson, type CallerRight, type ControlAnswer, type ControlRow } from './control-row.js';

/**
 * Returns the rejection of a control request, or undefined if it may proceed. `row` is the matching row; without one, the request
 * only gets the list of paths.
 */
export type Guard = (request: ReservedRequest, row: ControlRow | undefined) => ControlAnswer | undefined;

interface GuardOptions {
  /** The allowed hosts for all requests. */
  readonly hosts: AllowedHosts;
  /** The allowed hosts for rows that are not open. */
  readonly adminHosts: AllowedHosts;
  readonly access: AdminAccess;
}

/** One check of the guard, with the same result. */
type Check = (request: ReservedRequest, row: ControlRow, options: GuardOptions) => ControlAnswer | undefined;

/** The media types of changes. An HTML form can send none of them, so a page of another origin cannot change anything. */
const changeTypes: Readonly<Record<NonNullable<ControlRow['takes']>, readonly string[]>> = {
  json: ['application/json'],
  upload: ['application/json', 'application/x-ndjson', 'text/csv'],
};

/** The checks that reject pages of other origins. */
const pageChecks: readonly Check[] = [
  // DNS rebinding: a page can make its own host name resolve to this machine, so that its requests are same-origin.
  ({ headers: { host } }, _row, { adminHosts }) =>
    adminHosts.allows(host) ? undefined : answerJson(403, { error: hostRejection(host) }),
  (request) => {
    const { origin, host } = request.headers;
    if (origin === undefined) return undefined;
    const own = `${schemeOf(request)}://${host}`;
    return lowerAscii(origin) === lowerAscii(own) ? undefined : rejectOrigin();
  },
  ({ headers, method }) => {
    const site = headers['sec-fetch-site'];
    if (site === undefined || site === 'same-origin') return undefined;
    // `none` is a typed address or a bookmark.
    return site === 'none' && isReading(method) ? undefined : rejectOrigin();
  },
];

/** The checks of rows that are not open, in order. */
const checks: readonly Check[] = [
  ...pageChecks,
  ({ headers, method }, { takes = 'json' }) => {
    // A cross-origin DELETE needs a preflight, which this server never grants.
    if (isReading(method) || method === 'DELETE') return undefined;
    const sent = lowerAscii((headers['content-type'] ?? '').split(';')[0]?.trim() ?? '');
    const allowed = changeTypes[takes];
    return allowed.includes(sent)
      ? undefined
      : answerJson(415, { error: `A change needs Content-Type ${allowed.join(', or ')}.` });
  },
  (request, row, { access }) => checkCaller(request, row, access),
];

/** Creates the guard of the control rows. Open rows only need an allowed host, unless they reject pages; others must pass every check. */
export function createGuard(options: GuardOptions): Guard {
  return (request, row) => {
    const { host } = request.headers;
    if (!options.hosts.allows(host)) return answerJson(403, { error: hostRejection(host) });
    if (!row || (row.isOpen && !row.rejectsPages)) return undefined;
    for (const check of row.isOpen ? pageChecks : checks) {
      const rejection = check(request, row, options);
      if (rejection) return rejection;
    }
    return undefined;
  };
}

/** Headers added by proxies, many of which add only one. */
const proxySigns = [
  'x-forwarded-for',
  'forwarded',
  'x-real-ip',
  'x-forwarded-host',
  'x-forwarded-proto',
  'via',
] as const satisfies readonly (keyof HeaderFields)[];

/** Returns the rights of a caller: all for a local one in the mode `loopback`, otherwise those of its token. */
export function callerRight(request: ReservedRequest, access: AdminAccess): CallerRight | undefined {
  if (access.mode === 'loopback' && isLocal(request)) return 'all';
  return rightOf(request.headers.authorization, access);
}

function checkCaller(
  request: ReservedRequest,
  { isForReaders }: ControlRow,
  access: AdminAccess,
): ControlAnswer | undefined {
  const right = callerRight(request, access);
  if (right === 'all' || (right === 'read' && (isForReaders || isReading(request.method)))) return undefined;
  if (access.token === undefined && access.readToken === undefined) {
    const error =
      'Only callers on this machine are allowed, by a loopback address or localhost. Set TABULARIUM_ADMIN_TOKEN for others.';
    return answerJson(403, { error });
  }
  if (right === 'read') return answerJson(403, { error: 'This token may only read.' });
  const error = 'Send the token of the server as Authorization: Bearer <token>.';
  return answerJson(401, { error }, { 'WWW-Authenticate': 'Bearer' });
}

/**
 * Whether the caller is local and not a proxy. Among proxies that add no header, some speak HTTP/1.0, as most versions of nginx do by
 * default, and others keep the Host of their callers.
 */
function isLocal({ headers, httpVersion, socket }: ReservedRequest): boolean {
  if (!isLoopback(socket.remoteAddress) || httpVersion === '1.0') return false;
  return namesThisMachine(headers.host ?? '') && !proxySigns.some((name) => name in headers);
}

function namesThisMachine(host: string): boolean {
  const name = hostName(host);
  return name === 'localhost' || name.endsWith('.localhost') || isLoopback(name.replace(/^\[(.*)\]$/, '$1'));
}

function rejectOrigin(): ControlAnswer {
  return answerJson(403, { error: 'Pages of other origins are not allowed.' });
}

function isReading(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}
