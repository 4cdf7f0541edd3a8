import type { Eventual, TableStore } from '../store/store.js';
import type { Answer } from './answer.js';
import { type OperationRequest, openAddressedTable, type RequestBody, type StoreOperation } from './operation.js';
import { missingTableFirst } from './rejections.js';

/**
 * Runs an operation that uses the store itself: reads its input, performs the permission check at its moment, then runs it.
 *
 * Errors: those of the operation; TableNotFound; those of `authorize`; an internal error if the check was skipped.
 * Source: checks-order 4; checks-order 5; checks-order 9.
 */
export function runOperation(
  store: TableStore,
  operation: StoreOperation,
  request: OperationRequest,
  body: RequestBody,
): Eventual<Answer> {
  const { right } = request.shared;
  right.checkAt('before-input');
  const input = operation.read?.(request, body);
  right.checkAt('after-input');
  try {
    right.checkAt('table-found');
  } catch (fault) {
    if (!operation.needsTable?.(request)) throw fault;
    return rejectWith(missingTableFirst(openAddressedTable(request), fault));
  }
  right.assertChecked();
  return operation.run(request, store, input);
}

async function rejectWith(fault: Promise<unknown>): Promise<never> {
  throw await fault;
}
