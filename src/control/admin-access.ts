import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Config } from '../settings/config.js';
import type { CallerRight } from './control-row.js';

/** The access to the control endpoints, except open ones such as health and metrics. */
export interface AdminAccess {
  /** `loopback`: local callers need no token. `token`: every caller needs one. `off`: only open endpoints exist. */
  readonly mode: Config['admin'];
  /** Grants all rights. */
  readonly token: string | undefined;
  /** Grants read access. */
  readonly readToken: string | undefined;
  /** Whether the server generated the token and must show it to the user. */
  readonly isGenerated: boolean;
}

/** Size of a generated token. Unit: bytes. (Our choice: too long to guess.) */
const tokenBytes = 24;

/**
 * Returns the access for these settings. Generates a missing token if the server is reachable from other machines or every
 * caller needs one.
 */
export function openAdminAccess({
  admin,
  adminToken,
  adminReadToken,
  host,
}: Pick<Config, 'admin' | 'adminToken' | 'adminReadToken' | 'host'>): AdminAccess {
  const isNeeded = admin === 'token' || (admin === 'loopback' && !isLoopback(host) && host !== 'localhost');
  const isGenerated = isNeeded && adminToken === undefined;
  const token = isGenerated ? randomBytes(tokenBytes).toString('base64url') : adminToken;
  return { mode: admin, token, readToken: adminReadToken, isGenerated };
}

/** Whether an IP address is a loopback address. */
export function isLoopback(address: string | undefined): boolean {
  return address === '::1' || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address ?? '');
}

/** Returns the rights granted by an `Authorization` header. Runs in constant time, so that timing reveals no token. */
export function rightOf(authorization: string | undefined, { token, readToken }: AdminAccess): CallerRight | undefined {
  const [, sent] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  if (sent === undefined) return undefined;
  const isAll = isEqual(sent, token);
  const isRead = isEqual(sent, readToken);
  return isAll ? 'all' : isRead ? 'read' : undefined;
}

function isEqual(sent: string, known: string | undefined): boolean {
  if (known === undefined) return false;
  // The comparison needs equal lengths, which hashes have.
  return timingSafeEqual(hash('sha256', sent, 'buffer'), hash('sha256', known, 'buffer'));
}
