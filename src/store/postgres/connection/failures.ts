import pg from 'pg';
import { Abandoned } from '../../store.js';
import { StoreError } from '../../store-error.js';
import { StoreUnavailable } from '../../store-unavailable.js';

/** The routine that warns of a commit whose wait for the synchronous standby was canceled. */
export const unreplicatedRoutine = 'SyncRepWaitForLSN';

/** The SQLSTATE that our statements raise for a changed row, and that of a duplicate row. */
const protests = ['22012', '23505'];

/** The SQLSTATE of a serialization failure, and that of a deadlock. */
const undone = ['40001', '40P01'];

const readOnly = '25006';

/** Returns the SQLSTATE of a database error; undefined for any other error, such as EPIPE of Node. */
export function stateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/**
 * Whether an error leaves the outcome of a statement unknown. A database error rolls it back, unless it ends the connection, which can also
 * happen after the commit.
 */
export function isOpen(error: unknown): boolean {
  const state = stateOf(error);
  return state === undefined || state === '40003' || state.startsWith('08') || state.startsWith('57P');
}

/** Whether a write lost to a rival, so that it must be judged again. */
export function isConflict(error: unknown): boolean {
  const state = stateOf(error);
  return state !== undefined && [...protests, ...undone].includes(state);
}

/** Whether the database rejects writes, like a standby. */
export function isReadOnly(error: unknown): boolean {
  return stateOf(error) === readOnly;
}

/** Whether the database user lacks a privilege. */
export function isForbidden(error: unknown): boolean {
  return stateOf(error) === '42501';
}

/** Whether the database rolled a statement back because of a rival, so that a retry can succeed. */
export function isUndone(error: unknown): boolean {
  return undone.includes(stateOf(error) ?? '');
}

/** Whether another session held a lock for too long. */
export function isLockTimeout(error: unknown): boolean {
  return stateOf(error) === '55P03';
}

/** Whether the database has too many sessions. */
export function hasTooFewConnections(error: unknown): boolean {
  return stateOf(error) === '53300';
}

/** Whether the disk of the database is full. */
export function isDiskFull(error: unknown): boolean {
  return stateOf(error) === '53100';
}

/** Whether a connection failed because the database has no TLS, or no trusted certificate. */
export function isUntrusted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return /CERT|VERIFY_LEAF|INVALID_CA|HOSTNAME_MISMATCH/.test(code) || /does not support SSL/.test(error.message);
}

/**
 * Whether a connection is broken, but a new one may work: the server stops or starts, has become a standby, has too many connections, or a
 * prepared statement has become invalid.
 */
export function needsNewConnection(error: unknown): boolean {
  if (error instanceof StoreUnavailable || error instanceof StoreError || error instanceof Abandoned) return false;
  const state = stateOf(error);
  return isOpen(error) || [readOnly, '53300', '0A000', '26000'].includes(state ?? '');
}

/** Returns the error for a statement that the database has rolled back. */
export function explainFailure(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error;
  const state = stateOf(error);
  // Canceled, locked, or out of resources: a later retry may succeed.
  const isTemporary = state === '57014' || state === '55P03' || state?.startsWith('53') === true;
  return isTemporary || isUndone(error) || needsNewConnection(error) || error instanceof StoreError
    ? notDone(error)
    : error;
}

/** Returns the error for an operation without effect, because the database cannot be used. */
export function notDone(cause?: unknown): StoreUnavailable {
  return new StoreUnavailable('not-done', `The database cannot be used${reasonOf(cause)}.`, cause);
}

/** Returns the error for a write with an unknown outcome. */
export function unknownOutcome(cause?: unknown): StoreUnavailable {
  return new StoreUnavailable('unknown', `A write was sent, and its outcome is not known${reasonOf(cause)}.`, cause);
}

function reasonOf(cause: unknown): string {
  if (cause instanceof StoreUnavailable) return `: ${cause.message}`;
  return cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : '';
}
