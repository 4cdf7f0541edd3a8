import type { IncomingMessage } from 'node:http';
import { signedRangeOf } from '../auth/authorize.js';
import type { Identity } from '../auth/identity.js';
import type { OperationRow } from '../operations/operation-table.js';
import { TableError } from '../protocol/errors.js';
import { isVersion, protocolVersions } from '../protocol/versions.js';
import type { Exchange } from './exchange.js';
import { notInService } from './not-in-service.js';

/** Checks that a signature covers whole tables. Errors: MethodNotAllowed. Source: cosmos 15.13. */
export function checkUnbounded(identity: Identity): void {
  const { from, to } = signedRangeOf(identity) ?? {};
  if (from || to) throw notInService('MethodNotAllowed', 'signed-range', { name: 'signed-range' });
}

/** Checks that a request names a version that exists, if any. Errors: InvalidHeaderValue. */
export function checkVersion({ namedVersion }: Exchange): void {
  if (namedVersion === undefined || isVersion(namedVersion)) return;
  const needs = `Send a date that exists and is not before ${protocolVersions.oldest}, such as 2019-02-02.`;
  const evidence = () => ({ check: 'header-value', header: 'x-ms-version', value: namedVersion, needs }) as const;
  throw new TableError('InvalidHeaderValue', { evidence });
}

/**
 * Checks that a POST or PUT has a length or chunks. Otherwise the HTTP layer of the service refuses it.
 *
 * Errors: MissingContentLengthHeader. Source: operations 3.
 */
export function checkLength({ method, headers }: IncomingMessage): void {
  if (method !== 'POST' && method !== 'PUT') return;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    throw new TableError('MissingContentLengthHeader');
  }
}

/**
 * Checks that the secondary endpoint serves an operation, which it does if the operation reads. A batch may read: only its
 * body shows what it does.
 *
 * Errors: InsufficientAccountPermissions. Source: checks-order 2 step 12.
 */
export function checkReadOnly({ methods, operation }: OperationRow): void {
  if (methods.includes('GET') || operation.kind === 'batch') return;
  throw new TableError('InsufficientAccountPermissions');
}
