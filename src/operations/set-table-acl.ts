import { TableError } from '../protocol/errors.js';
import { isRefusal } from '../store/store.js';
import { readAccessPolicies } from './access-policies.js';
import { type StoreOperation, tableOf } from './operation.js';
import { errorOfRefusal } from './refusals.js';

/**
 * Set Table ACL: replaces all stored access policies of a table; an empty body clears them. Shared Key only.
 *
 * Answers 204. Errors: TableNotFound (404), InvalidXmlDocument (400), MediaTypeNotSupported (415).
 * Source: operations 8.5; checks-order, section 9.
 */
export const setTableAcl: StoreOperation = {
  name: 'Set Table ACL',
  kind: 'store',

  async run({ account, resource, body }, store) {
    const table = tableOf(resource);
    if (!(await store.findTable(account, table))) throw new TableError('TableNotFound');
    const outcome = await store.writeAccessPolicies(account, table, await readAccessPolicies(body));
    if (outcome && isRefusal(outcome)) throw errorOfRefusal(outcome);
    return { status: 204, plain: true };
  },
};
