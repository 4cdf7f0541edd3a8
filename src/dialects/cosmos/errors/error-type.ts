import type { TableError } from '../../../protocol/errors.js';
import type { RequestFacts } from '../../dialect.js';
import { jsonType } from '../headers.js';

/** Which level the errors of a request have. Source: cosmos 8; cosmos 15.2. */
type ErrorLevel = 'full' | 'asked' | 'accepted';

/** The errors of an upsert that have the type of `Accept`. */
const statusesOfAccept: ReadonlySet<number> = new Set([401, 403, 404]);

/** The faults of the keys in a path. */
const keyFaults: ReadonlySet<string | undefined> = new Set([
  'path-syntax',
  'path-string-unterminated',
  'path-character',
]);

/** The address of a transaction. */
const batchPath = /\/(?:\$|%24)batch\/?$/i;

/**
 * Returns the `Content-Type` of an error. It depends on verb and headers, not on the operation: many requests are refused before
 * their operation is known. Source: cosmos 8; cosmos 15.2.
 */
export function typeOfError(error: TableError, status: number, facts: RequestFacts): string {
  const { accept, representation } = facts;
  switch (levelOf(error, status, facts)) {
    case 'full':
      return jsonType('fullmetadata');
    case 'asked':
      return jsonType(representation.level);
    case 'accepted':
      return accept?.includes('odata=') ? jsonType(representation.level) : 'application/json';
  }
}

function levelOf({ code, variant }: TableError, status: number, { request, speaksXml }: RequestFacts): ErrorLevel {
  const { method, target, headers } = request;
  const isOfPath = code === 'InvalidUri' || keyFaults.has(variant?.name);
  if (speaksXml || isOfPath) return 'full';
  if (method === 'GET') return 'asked';
  const verb = method === 'POST' ? nameIn(headers['x-http-method'] ?? method) : method;
  if (verb === 'POST') {
    const hasContent =
      !batchPath.test(target.split('?', 1)[0] ?? '') && nameIn(headers['prefer']) !== 'RETURN-NO-CONTENT';
    // A request is refused for its body with full metadata, but not by the engine.
    const isOfBody = status === 400 && variant?.name !== 'table-name-too-long';
    return hasContent && !isOfBody ? 'asked' : 'full';
  }
  const isUpsert = verb !== 'DELETE' && !headers['if-match'];
  return isUpsert && statusesOfAccept.has(status) ? 'accepted' : 'full';
}

/** Returns the name in a header, which may have blanks around it and any letter case. */
function nameIn(value: string | readonly string[] | undefined): string {
  return String(value ?? '')
    .trim()
    .toUpperCase();
}
