import { signedRangeOf } from '../auth/authorize.js';
import type { Change } from '../entity/change.js';
import { TableError } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';
import { isWithin } from '../query/key-ranges.js';
import { isRefusal, type TableStore } from '../store/store.js';
import { type Answer, type OperationRequest, type PreparedChange, tableOf, type WriteOperation } from './operation.js';
import { errorOfRefusal } from './refusals.js';

/** One write and the request that asked for it. */
export interface Write {
  readonly operation: WriteOperation;
  readonly request: OperationRequest;
}

/**
 * The one path by which entities are written: a lone write is an entity group transaction of one.
 *
 * Writes are read in order, each when the one before is found good, so the first fault answers. `at` of an error is the
 * position of the write at fault. What a caller may do is asked when all are read, then what only they could tell.
 * Errors: those of each operation's ladder; CommandsInBatchActOnDifferentPartitions, InvalidDuplicateRow.
 * Source: checks-order, ladders 6 to 8.
 */
export async function commitWrites(store: TableStore, writes: Iterable<Write>): Promise<Answer[]> {
  const group = new Group();
  const source = writes[Symbol.iterator]();
  for (;;) {
    try {
      const next = source.next();
      if (next.done) break;
      const { operation, request } = next.value;
      const change = operation.prepare(request);
      const table = tableOf(request.resource);
      if (!group.isOn(table) && !(await store.findTable(request.account, table))) throw new TableError('TableNotFound');
      group.add(next.value, change);
    } catch (error) {
      throw at(error, group.writes.length);
    }
  }
  const [first] = group.writes;
  if (first === undefined) throw new TableError('InvalidInput');
  const outcome = await store.commit(first.request.account, tableOf(first.request.resource), group.complete());
  if (isRefusal(outcome)) throw errorOfRefusal(outcome);
  return group.writes.map(({ operation, request }, index) => operation.answer(request, outcome[index] ?? null));
}

/** The writes of one transaction as they are read: on one table, in one partition, each entity once. */
class Group {
  readonly writes: Write[] = [];
  readonly #changes: PreparedChange[] = [];
  readonly #rowKeys = new Set<string>();
  #table: string | undefined;
  #partitionKey: string | undefined;

  /** Whether the transaction is on this table, which then is known to exist. */
  isOn(table: string): boolean {
    return this.#table === lowerAscii(table);
  }

  add(write: Write, change: PreparedChange): void {
    const table = lowerAscii(tableOf(write.request.resource));
    this.#table ??= table;
    if (table !== this.#table) throw new TableError('CommandsInBatchActOnDifferentPartitions');
    if (change.kind !== 'keys-missing') {
      const { partitionKey, rowKey } = change.key;
      this.#partitionKey ??= partitionKey;
      if (partitionKey !== this.#partitionKey) throw new TableError('CommandsInBatchActOnDifferentPartitions');
      if (this.#rowKeys.has(rowKey)) throw new TableError('InvalidDuplicateRow');
      this.#rowKeys.add(rowKey);
    }
    this.writes.push(write);
    this.#changes.push(change);
  }

  /**
   * The changes, all of which the callers may try. Errors: those of authorization, PropertiesNeedValue,
   * AuthorizationFailure for an entity outside a signed range.
   */
  complete(): Change[] {
    for (const [index, { request }] of this.writes.entries()) {
      try {
        request.right.askAt('table-found');
        request.right.checkAsked();
      } catch (error) {
        throw at(error, index);
      }
    }
    return this.#changes.map((change, index) => {
      if (change.kind === 'keys-missing') throw new TableError('PropertiesNeedValue', { at: index });
      const identity = this.writes[index]?.request.identity;
      const range = identity && signedRangeOf(identity);
      if (!isWithin(range, change.key.partitionKey, change.key.rowKey)) {
        throw new TableError('AuthorizationFailure', { at: index });
      }
      return change;
    });
  }
}

/** The same error, saying which write it is about. */
function at(error: unknown, index: number): unknown {
  if (!(error instanceof TableError)) return error;
  return new TableError(error.code, { message: error.message, clothes: error.clothes, at: index });
}
