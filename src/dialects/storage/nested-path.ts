import { namesTable, readRepeatedTable } from '../../address/parse-address.js';
import type { NestedPath, Resource } from '../../address/resource.js';
import { TableError } from '../../protocol/errors.js';
import type { NestedRequest } from '../request-rules.js';

/** The key of a resource with one key, such as `('name')`. */
const singleKey = /\('(?:[^']|'')*'\)$/;

/**
 * Returns the resource of a path of two segments, whose first names the table. A POST inserts into that table, whatever the
 * second segment is.
 *
 * Errors: InvalidInput for one key, because entities have two; ResourceNotFound for any other path. Source: operations 1.2.
 */
export function readNestedPath(path: NestedPath, { account, method }: NestedRequest): Resource {
  const [table = '', last = '', ...more] = path.segments;
  if (more.length > 0 || !namesTable(table)) throw new TableError('ResourceNotFound');
  if (singleKey.test(last)) {
    throw new TableError('InvalidInput', { variant: { name: 'key-count', resource: `${account}.${table}` } });
  }
  const repeated = readRepeatedTable(path);
  if (repeated) return repeated;
  if (method === 'POST' && /^[^(]*(?:\(\))?$/.test(last)) return { kind: 'entities', table };
  throw new TableError('ResourceNotFound');
}
