import { TableError } from '../protocol/errors.js';
import { type StoreOperation, tableOf } from './operation.js';

/**
 * Get Table ACL: the stored access policies of a table. Shared Key only.
 *
 * Errors: TableNotFound (404). Source: operations 8.4.
 */
export const getTableAcl: StoreOperation = {
  name: 'Get Table ACL',
  kind: 'store',

  async run({ resource, tables }) {
    const policies = await tables.open(tableOf(resource)).readAccessPolicies();
    if (!policies) throw new TableError('TableNotFound');
    return { kind: 'access-policies', policies };
  },
};
