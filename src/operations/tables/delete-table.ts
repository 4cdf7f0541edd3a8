import { TableError } from '../../protocol/errors.js';
import { isRefusal } from '../../store/store.js';
import { namedTable, type StoreOperation } from '../operation.js';
import { errorOfRefusal } from '../refusals.js';

/**
 * Delete Table: removes the table and all its entities at once.
 *
 * Errors: ResourceNotFound (404). Source: operations 8.3.
 */
export const deleteTable: StoreOperation = {
  name: 'Delete Table',
  kind: 'store',

  async run(request, store) {
    const outcome = await store.deleteTable(request.account, namedTable(request.resource));
    if (!isRefusal(outcome)) return { kind: 'table-deleted' };
    throw outcome.reason === 'table-missing' ? new TableError('ResourceNotFound') : errorOfRefusal(outcome);
  },
};
