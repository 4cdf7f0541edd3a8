import { TableError } from '../protocol/errors.js';
import { writeAccessPolicies } from './access-policies.js';
import { type StoreOperation, tableOf } from './operation.js';

/**
 * Get Table ACL: the stored access policies of a table. Shared Key only.
 *
 * Answers 200 with XML. Errors: TableNotFound (404). Source: operations 8.4.
 */
export const getTableAcl: StoreOperation = {
  name: 'Get Table ACL',
  kind: 'store',

  async run({ account, resource }, store) {
    const policies = await store.openTable(account, tableOf(resource)).readAccessPolicies();
    if (!policies) throw new TableError('TableNotFound');
    return { status: 200, xml: writeAccessPolicies(policies) };
  },
};
