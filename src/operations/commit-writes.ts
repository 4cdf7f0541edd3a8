import { signedRangeOf } from '../auth/authorize.js';
import type { Change } from '../entity/change.js';
import { TableError } from '../protocol/errors.js';
import { isWithin } from '../query/key-ranges.js';
import { isRefusal, type TableHandle } from '../store/store.js';
import type { Answer, WrittenEntities } from './answer.js';
import {
  type OperationRequest,
  type PreparedChange,
  type RequestBody,
  tableOf,
  type WriteOperation,
} from './operation.js';
import { errorOfRefusal, missingTableFirst } from './refusals.js';

/** One write, its request and its body. */
export interface Write {
  readonly operation: WriteOperation;
  readonly request: OperationRequest;
  readonly body: RequestBody;
}

/** Writes that were made, and their answers in the same order. */
export interface CommittedWrites extends WrittenEntities {
  readonly answers: readonly Answer[];
}

/**
 * Makes all of the writes or none, in one commit. Every write of entities comes here: a single write runs as a transaction
 * with one operation.
 *
 * The writes are read in order, and the first fault ends the reading. The rights of all writes are asked after all were
 * read. `at` of an error is the position of the write at fault.
 * Errors: those of each operation's ladder; CommandsInBatchActOnDifferentPartitions, InvalidDuplicateRow.
 * Source: checks-order 6; checks-order 7; checks-order 8.
 */
export async function commitWrites(writes: Iterable<Write>): Promise<CommittedWrites> {
  const group = new Group();
  const source = writes[Symbol.iterator]();
  for (;;) {
    try {
      const next = source.next();
      if (next.done) break;
      const { operation, request, body } = next.value;
      const change = operation.prepare(request, body);
      const table = group.isOn(request) ? undefined : request.tables.open(tableOf(request.resource));
      // The commit looks for the table of the transaction, or `firstFault` does so if there is a fault before.
      if (table && group.table && !(await table.find())) throw new TableError('TableNotFound');
      group.add(next.value, change, table);
    } catch (error) {
      throw await group.firstFault(at(error, group.writes.length));
    }
  }
  if (group.table === undefined) throw new TableError('InvalidInput');
  let changes: Change[];
  try {
    changes = group.permittedChanges();
  } catch (fault) {
    throw await group.firstFault(fault);
  }
  const outcome = await group.table.commit(changes);
  if (isRefusal(outcome)) {
    const change = changes[outcome.at];
    throw errorOfRefusal(outcome, change && { table: group.tableName, change });
  }
  const { writes: made, tableName: table } = group;
  const answers = made.map(({ operation }, index) => operation.answer(outcome[index] ?? null, changes[index]));
  return { answers, table, changes };
}

/** Makes one write, as a transaction with one operation, and notes it. Errors: those of `commitWrites`. */
export async function commitWrite(write: Write, note: { written: WrittenEntities | undefined }): Promise<Answer> {
  const written = await commitWrites([write]);
  const [answer] = written.answers;
  if (!answer) throw new Error('one write has one answer');
  note.written = written;
  return answer;
}

/** The writes of one transaction that were read so far: on one table, in one partition, each entity once. */
class Group {
  readonly writes: Write[] = [];
  readonly #changes: PreparedChange[] = [];
  /** The position of the write for each row key. */
  readonly #rowKeys = new Map<string, number>();
  #table: TableHandle | undefined;
  #tableName: string | undefined;
  /** The name as the first write spells it. */
  #spelling: string | undefined;
  #partitionKey: string | undefined;

  /** The table of the transaction, which may be missing; undefined before the first write. */
  get table(): TableHandle | undefined {
    return this.#table;
  }

  /** The name of the table of the transaction, folded; empty before the first write. */
  get tableName(): string {
    return this.#tableName ?? '';
  }

  /** Returns whether a request names the table of the transaction. */
  isOn({ resource, rules }: OperationRequest): boolean {
    const name = tableOf(resource);
    return name === this.#spelling || this.#tableName === rules.foldTableName(name);
  }

  /** Adds a write. `table` is given if it is not the table of the transaction so far. */
  add(write: Write, change: PreparedChange, table: TableHandle | undefined): void {
    if (table && this.#table) throw new TableError('CommandsInBatchActOnDifferentPartitions');
    this.#table ??= table;
    this.#spelling ??= tableOf(write.request.resource);
    this.#tableName ??= write.request.rules.foldTableName(this.#spelling);
    if (change.kind !== 'keys-missing') {
      const { partitionKey, rowKey } = change.key;
      this.#partitionKey ??= partitionKey;
      if (partitionKey !== this.#partitionKey) throw new TableError('CommandsInBatchActOnDifferentPartitions');
      const first = this.#rowKeys.get(rowKey);
      const second = this.writes.length;
      if (first !== undefined && !write.request.rules.mayRepeat(change)) {
        throw new TableError('InvalidDuplicateRow', { evidence: () => ({ check: 'same-row', rowKey, first, second }) });
      }
      this.#rowKeys.set(rowKey, second);
    }
    this.writes.push(write);
    this.#changes.push(change);
  }

  /** Returns the fault to report: after the first write was read, a missing table comes before any other fault. */
  async firstFault(fault: unknown): Promise<unknown> {
    const first = this.#table ? await missingTableFirst(this.#table, fault) : fault;
    return first === fault ? fault : at(first, 0);
  }

  /**
   * Returns the changes after all rights were asked. Errors: those of authorization, PropertiesNeedValue,
   * AuthorizationFailure for an entity outside a signed range.
   */
  permittedChanges(): Change[] {
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

/** Returns the same error with the position of the write at fault. */
function at(error: unknown, index: number): unknown {
  if (!(error instanceof TableError)) return error;
  return error.placedAt(index);
}
