import { signedRangeOf } from '../auth/authorize.js';
import type { Change } from '../entity/change.js';
import { TableError } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';
import { isWithin } from '../query/key-ranges.js';
import { isRefusal, type TableHandle, type TableStore } from '../store/store.js';
import { type Answer, type OperationRequest, type PreparedChange, tableOf, type WriteOperation } from './operation.js';
import { errorOfRefusal, missingTableFirst } from './refusals.js';

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
 * Source: checks-order 6; checks-order 7; checks-order 8.
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
      const table = group.isOn(request) ? undefined : store.openTable(request.account, tableOf(request.resource));
      // The table of the transaction is looked for by the commit, or when a fault is found before it.
      if (table && group.table && !(await table.find())) throw new TableError('TableNotFound');
      group.add(next.value, change, table);
    } catch (error) {
      throw await group.firstFault(at(error, group.writes.length));
    }
  }
  if (group.table === undefined) throw new TableError('InvalidInput');
  const changes = await group.complete();
  const outcome = await group.table.commit(changes);
  if (isRefusal(outcome)) throw errorOfRefusal(outcome);
  return group.writes.map(({ operation, request }, index) => operation.answer(request, outcome[index] ?? null));
}

/** The writes of one transaction as they are read: on one table, in one partition, each entity once. */
class Group {
  readonly writes: Write[] = [];
  readonly #changes: PreparedChange[] = [];
  readonly #rowKeys = new Set<string>();
  #table: TableHandle | undefined;
  #tableName: string | undefined;
  #partitionKey: string | undefined;

  /** The table of the transaction, which may be missing; undefined before the first write. */
  get table(): TableHandle | undefined {
    return this.#table;
  }

  /** Returns whether a request is about the table of the transaction. */
  isOn({ resource }: OperationRequest): boolean {
    return this.#tableName === lowerAscii(tableOf(resource));
  }

  /** Adds a write; with `table` where it is another one than that of the write before. */
  add(write: Write, change: PreparedChange, table: TableHandle | undefined): void {
    if (table && this.#table) throw new TableError('CommandsInBatchActOnDifferentPartitions');
    this.#table ??= table;
    this.#tableName ??= lowerAscii(tableOf(write.request.resource));
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

  /** Returns the fault to report: a missing table comes before any fault that was found after the first write was read. */
  async firstFault(fault: unknown): Promise<unknown> {
    const first = this.#table ? await missingTableFirst(this.#table, fault) : fault;
    return first === fault ? fault : at(first, 0);
  }

  /**
   * Returns the changes, all of which the callers may try. Errors: TableNotFound, those of authorization,
   * PropertiesNeedValue, AuthorizationFailure for an entity outside a signed range.
   */
  async complete(): Promise<Change[]> {
    try {
      return this.#permitted();
    } catch (fault) {
      throw await this.firstFault(fault);
    }
  }

  #permitted(): Change[] {
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
  return error.placedAt(index);
}
