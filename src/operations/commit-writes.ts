import type { Change } from '../entity/change.js';
import { TableError } from '../protocol/errors.js';
import { isRefusal, type TableStore } from '../store/store.js';
import { type Answer, type OperationRequest, tableOf, type WriteOperation } from './operation.js';
import { errorOfRefusal } from './refusals.js';

/** One write and the request that asked for it. */
export interface Write {
  readonly operation: WriteOperation;
  readonly request: OperationRequest;
}

/**
 * The one path by which an entity is written: a lone write is an entity group transaction of one.
 *
 * Errors: those of the operation's own ladder, in its order; see checks-order, ladders 6 to 8.
 */
export async function commitWrite(store: TableStore, write: Write): Promise<Answer> {
  const { operation, request } = write;
  const table = tableOf(request.resource);
  const prepared = operation.prepare(request);
  if (!(await store.findTable(request.account, table))) throw new TableError('TableNotFound');
  const outcome = await store.commit(request.account, table, [completeChange(prepared)]);
  if (isRefusal(outcome)) throw errorOfRefusal(outcome);
  return operation.answer(request, outcome[0] ?? null);
}

/** A change that can be made, or the refusal of one whose keys are missing. */
function completeChange(prepared: ReturnType<WriteOperation['prepare']>): Change {
  if (prepared.kind === 'keys-missing') throw new TableError('PropertiesNeedValue');
  return prepared;
}
