import type { HeaderFields } from '../protocol/header-fields.js';
import { lowerAscii } from '../protocol/names.js';
import { type AllowedHosts, hostName, hostRejection } from '../service/allowed-hosts.js';
import { schemeOf } from '../wire/connections/connection.js';
import type { ReservedRequest } from '../wire/reserved-endpoints.js';
import { type AdminAccess, isLoopback, rightOf } from './admin-access.js';
import { answerJson, type CallerRight, type ControlAnswer, type ControlRow } from './control-row.js';

/**
 * Decides whether a control request may be answered: returns the rejection, or undefined if it may. `row` is the row that
 * would answer; without one, the request only gets the list of paths.
 */
export type Guard = (request: ReservedRequest, row: ControlRow | undefined) => ControlAnswer | undefined;

/** What the guard decides by. */
interface GuardOptions {
  /** The hosts by which every row may be asked. */
  readonly hosts: AllowedHosts;
  /** Those by which a row may be asked that is not open. */
  readonly adminHosts: AllowedHosts;
  readonly access: AdminAccess;
}

/** One check of the guard. Returns the rejection, or undefined if the request passes. */
type Check = (request: ReservedRequest, row: ControlRow, options: GuardOptions) => ControlAnswer | undefined;

/** The media types that a change may have. An HTML form can send none of them, so a page elsewhere cannot change anything. */
const changeTypes: Readonly<Record<NonNullable<ControlRow['takes']>, readonly string[]>> = {
  json: ['application/json'],
  upload: ['application/json', 'application/x-ndjson', 'text/csv'],
};

/** The checks that tell the page of this server, and programs, from pages of other origins. */
const pageChecks: readonly Check[] = [
  // A page can make its own host name resolve to this machine, and then every request is of the same origin.
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
    // A user who types the address of a page, or opens a bookmark, comes from no site.
    return site === 'none' && isReading(method) ? undefined : rejectOrigin();
  },
];

/** The checks of rows that are not open, in this order. */
const checks: readonly Check[] = [
  ...pageChecks,
  ({ headers, method }, { takes = 'json' }) => {
    // A browser sends a DELETE to another origin only if that origin agrees, which this one never does.
    if (isReading(method) || method === 'DELETE') return undefined;
    const sent = lowerAscii((headers['content-type'] ?? '').split(';')[0]?.trim() ?? '');
    const allowed = changeTypes[takes];
    return allowed.includes(sent)
      ? undefined
      : answerJson(415, { error: `A change needs Content-Type ${allowed.join(', or ')}.` });
  },
  (request, row, { access }) => checkCaller(request, row, access),
];

/** Returns the guard of all control rows. Open rows only need an allowed host; the others have to pass every check. */
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

/** The headers that proxies add. Many add only one of them. */
const proxySigns = [
  'x-forwarded-for',
  'forwarded',
  'x-real-ip',
  'x-forwarded-host',
  'x-forwarded-proto',
  'via',
] as const satisfies readonly (keyof HeaderFields)[];

/** Returns what a caller may do: everything on this machine, elsewhere what its token is for. */
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
      'Only this machine may ask, at a loopback address or localhost. Set TABULARIUM_ADMIN_TOKEN for all others.';
    return answerJson(403, { error });
  }
  if (right === 'read') return answerJson(403, { error: 'This token may only read.' });
  const error = 'Send the token of the server as Authorization: Bearer <token>.';
  return answerJson(401, { error }, { 'WWW-Authenticate': 'Bearer' });
}

/**
 * Returns whether a caller of this machine asks, and not a proxy on this machine for others. Many proxies add no header.
 * Some of those speak HTTP/1.0, as most versions of nginx do by default, others keep the Host of their callers.
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
  return answerJson(403, { error: 'A page of another origin may not ask.' });
}

function isReading(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}
