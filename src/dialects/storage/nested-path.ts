import { namesTable, readRepeatedTable } from '../../address/parse-address.js';
import { splitSegment } from '../../address/read-keys.js';
import type { NestedPath, Resource } from '../../address/resource.js';
import { TableError } from '../../protocol/errors.js';
import type { NestedRequest, UnservedPath } from '../request-rules.js';

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
