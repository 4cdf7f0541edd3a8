import { TableError } from '../protocol/errors.js';
import type { TableStore } from '../store/store.js';
import { type Answer, type OperationRequest, type StoreOperation, tableOf } from './operation.js';

/**
 * Runs an operation that asks the store on its own: reads its input, asks for the right at its moment, then runs it.
 *
 * Errors: those of the operation; TableNotFound; those of `authorize`; an internal error if the right was never asked.
 * Source: checks-order 4, 5, 9.
 */
export async function runOperation(
  store: TableStore,
  operation: StoreOperation,
  request: OperationRequest,
): Promise<Answer> {
  const { right } = request;
  right.askAt('before-input');
  const input = operation.read?.(request);
  right.askAt('after-input');
  if (operation.needsTable?.(request) && !(await store.findTable(request.account, tableOf(request.resource)))) {
    throw new TableError('TableNotFound');
  }
  right.askAt('table-found');
  right.checkAsked();
  return operation.run(request, store, input);
}
