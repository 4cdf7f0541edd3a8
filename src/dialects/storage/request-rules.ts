import { namesTable, readRepeatedTable } from '../../address/parse-address.js';
import { splitSegment } from '../../address/read-keys.js';
import type { NestedPath, Resource } from '../../address/resource.js';
import { openJson } from '../../formats/open-body.js';
import { TableError } from '../../protocol/errors.js';
import { transactionOperationsMax } from '../../protocol/limits.js';
import type { NestedRequest, RequestRules, UnservedPath } from '../request-rules.js';

/** How storage accounts read requests. Source: operations 2; batch 4. */
export const requestRules: RequestRules = {
  isVersioned: true,
  speaksAtom: true,
  checkTarget,
  checkPath: () => {},
  hasReadOnlySecondary: true,
  refusalOfComp: () => undefined,
  acceptFirst: false,
  upsertsNegotiate: false,
  takesPatch: true,
  hasSignedRanges: true,
  hasTableRoles: true,
  hasCors: true,
  hasDefaultAccount: false,
  operationsMax: transactionOperationsMax,
  answersEmptyBatches: true,
  countsParts: false,
  refusingTransactions: new Set(),
  readNestedPath,
  openJson,
};

/** Matches a target whose path has a control character of ASCII or one of five of Latin-1, percent-encoded. Source: operations 4.4. */
const controlCharacter = /^[^?]*?%(?:[01][0-9a-f]|7f|c2%(?:81|8d|8f|90|9d))/i;

/** Checks that the web server in front of the service lets a target through. Errors: InvalidUri. */
function checkTarget(target: string): void {
  if (!controlCharacter.test(target)) return;
  const hasNul = /^[^?]*?%00/.test(target);
  throw new TableError('InvalidUri', { variant: { name: 'path-control-character', hasNul } });
}

/**
 * Returns the resource of a path of two segments, whose first names the table. A POST inserts into that table, whatever the
 * second segment is, and a GET is not implemented. One key alone is an error, because entities have two.
 *
 * Errors: InvalidInput for malformed keys; ResourceNotFound for any other path. Source: operations 1.2.
 */
export function readNestedPath(path: NestedPath, { account, method }: NestedRequest): Resource | UnservedPath {
  const [table = '', last = '', ...more] = path.segments;
  if (more.length > 0 || !namesTable(table)) throw new TableError('ResourceNotFound');
  const { name, keys = [] } = splitSegment(last);
  if (keys.length === 1) {
    const variant = { name: 'key-count', resource: `${account}.${table}` } as const;
    return { kind: 'unserved', table, fault: new TableError('InvalidInput', { variant }) };
  }
  if (method === 'GET' && name !== '') return { kind: 'unserved', table, fault: new TableError('NotImplemented') };
  const repeated = readRepeatedTable(path);
  if (repeated) return repeated;
  if (method === 'POST' && keys.length === 0) return { kind: 'entities', table };
  throw new TableError('ResourceNotFound');
}
