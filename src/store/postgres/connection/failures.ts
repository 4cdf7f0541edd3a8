import pg from 'pg';
import { Abandoned } from '../../store.js';
import { StoreError } from '../../store-error.js';
import { StoreUnavailable } from '../../store-unavailable.js';

/** The routine that warns of a commit which was canceled while it waited for the synchronous standby. */
export const unreplicatedRoutine = 'SyncRepWaitForLSN';

/** The SQLSTATE that our statements raise if a row is not as it was judged, and that of a row that exists already. */
const protests = ['22012', '23505'];

/** The SQLSTATE of a statement that another transaction kept from being serializable, and of one that ended a deadlock. */
const undone = ['40001', '40P01'];

/** The SQLSTATE of a database that takes no writes. */
const readOnly = '25006';

/** Returns the SQLSTATE of an error that the database sent; undefined for any other, such as EPIPE of Node. */
export function stateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/**
 * Returns whether an error leaves open what became of the statement. An error of the database undoes it, unless it ends
 * the connection: that can also happen after the commit. A connection that ends without an error tells nothing.
 */
export function isOpen(error: unknown): boolean {
  const state = stateOf(error);
  return state === undefined || state === '40003' || state.startsWith('08') || state.startsWith('57P');
}

/** Returns whether a write lost to a rival, so that it must be judged again. */
export function isConflict(error: unknown): boolean {
  const state = stateOf(error);
  return state !== undefined && [...protests, ...undone].includes(state);
}

/** Returns whether the database takes no writes, as a standby does. */
export function isReadOnly(error: unknown): boolean {
  return stateOf(error) === readOnly;
}

/** Returns whether the user of the database lacks a right. */
export function isForbidden(error: unknown): boolean {
  return stateOf(error) === '42501';
}

/** Returns whether the database undid a statement because of a rival, so that it can be repeated as it is. */
export function isUndone(error: unknown): boolean {
  return undone.includes(stateOf(error) ?? '');
}

/** Returns whether another session held a lock for too long. */
export function isLockTimeout(error: unknown): boolean {
  return stateOf(error) === '55P03';
}

/** Returns whether a session was rejected because there are too many. */
export function hasTooFewConnections(error: unknown): boolean {
  return stateOf(error) === '53300';
}

/** Returns whether the disk of the database is full. */
export function isDiskFull(error: unknown): boolean {
  return stateOf(error) === '53100';
}

/** Returns whether a connection was not made because the database has no TLS, or a certificate that is not trusted. */
export function isUntrusted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return /CERT|VERIFY_LEAF|INVALID_CA|HOSTNAME_MISMATCH/.test(code) || /does not support SSL/.test(error.message);
}

/**
 * Returns whether the connection cannot be used any more, but a new one may work: the server stops or starts, has become a
 * standby, has too many connections, or what a prepared statement returns has changed.
 */
export function needsNewConnection(error: unknown): boolean {
  if (error instanceof StoreUnavailable || error instanceof StoreError || error instanceof Abandoned) return false;
  const state = stateOf(error);
  return isOpen(error) || [readOnly, '53300', '0A000', '26000'].includes(state ?? '');
}

/** Returns the error for a statement that the database ended for its own reasons, and undid. */
export function explainFailure(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error;
  const state = stateOf(error);
  // Canceled, locked, or out of resources: the same request may succeed later.
  const isTemporary = state === '57014' || state === '55P03' || state?.startsWith('53') === true;
  return isTemporary || isUndone(error) || needsNewConnection(error) || error instanceof StoreError
    ? notDone(error)
    : error;
}

/** Returns the error of an operation that changed nothing, because the database cannot be used. */
export function notDone(cause?: unknown): StoreUnavailable {
  return new StoreUnavailable('not-done', `The database cannot be used${reasonOf(cause)}.`, cause);
}

/** Returns the error of a write whose outcome is unknown. */
export function unknownOutcome(cause?: unknown): StoreUnavailable {
  return new StoreUnavailable('unknown', `A write was sent, and its outcome is not known${reasonOf(cause)}.`, cause);
}

function reasonOf(cause: unknown): string {
  if (cause instanceof StoreUnavailable) return `: ${cause.message}`;
  return cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : '';
}
