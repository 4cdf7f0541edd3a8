import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Config } from '../settings/config.js';
import type { CallerRight } from './control-row.js';

/** Who may use the control endpoints, apart from health and metrics. */
export interface AdminAccess {
  /** `loopback`: callers of this machine need no token. `token`: every caller needs one. `off`: there are no endpoints. */
  readonly mode: Config['admin'];
  /** Lets its holder do everything. Absent: only callers of this machine are answered. */
  readonly token: string | undefined;
  /** Lets its holder read. */
  readonly readToken: string | undefined;
  /** Whether the server made the token, so that it must be shown to the user. */
  readonly isMade: boolean;
}

/** Size of a token that is made. Unit: bytes. (Our choice: it cannot be guessed.) */
const tokenBytes = 24;

/**
 * Returns the access that the settings ask for. Makes a token if other machines can reach the server, or if every caller
 * needs one, and the settings have none.
 */
export function openAdminAccess({
  admin,
  adminToken,
  adminReadToken,
  host,
}: Pick<Config, 'admin' | 'adminToken' | 'adminReadToken' | 'host'>): AdminAccess {
  const isNeeded = admin === 'token' || (admin === 'loopback' && !isLoopback(host) && host !== 'localhost');
  const isMade = isNeeded && adminToken === undefined;
  const token = isMade ? randomBytes(tokenBytes).toString('base64url') : adminToken;
  return { mode: admin, token, readToken: adminReadToken, isMade };
}

/** Returns whether an IP address is one of this machine alone. */
export function isLoopback(address: string | undefined): boolean {
  return address === '::1' || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address ?? '');
}

/** Returns what an `Authorization` header gives a right to. The time that this takes tells nothing about a token. */
export function rightOf(authorization: string | undefined, { token, readToken }: AdminAccess): CallerRight | undefined {
  const [, sent] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  if (sent === undefined) return undefined;
  const isAll = isEqual(sent, token);
  const isRead = isEqual(sent, readToken);
  return isAll ? 'all' : isRead ? 'read' : undefined;
}

function isEqual(sent: string, known: string | undefined): boolean {
  if (known === undefined) return false;
  // Hashes have the same length, which the comparison needs.
  return timingSafeEqual(hash('sha256', sent, 'buffer'), hash('sha256', known, 'buffer'));
}
