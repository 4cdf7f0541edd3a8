import { TableError } from '../../protocol/errors.js';
import { openAddressedTable, type StoreOperation } from '../operation.js';

/**
 * Get Table ACL: the stored access policies of a table. Shared Key only.
 *
 * Errors: those of `checkAddressedTable`, TableNotFound (404). Source: operations 8.4.
 */
export const getTableAcl: StoreOperation = {
  name: 'Get Table ACL',
  kind: 'store',

  async run(request) {
    const policies = await openAddressedTable(request).readAccessPolicies();
    if (!policies) throw new TableError('TableNotFound');
    return { kind: 'access-policies', policies };
  },
};
