import { signedRangeOf } from '../auth/authorize.js';
import type { Change } from '../entity/stored/change.js';
import { TableError } from '../protocol/errors.js';
import { isWithin } from '../query/plan/key-ranges.js';
import type { Writer } from '../store/commit-listeners.js';
import { isRejection, type TableHandle } from '../store/store.js';
import type { Answer, WrittenEntities } from './answer.js';
import {
  type OperationRequest,
  openAddressedTable,
  type PreparedChange,
  type RequestBody,
  tableOf,
  type WriteOperation,
} from './operation.js';
import { errorOfMissingKeys, errorOfRejection, missingTableFirst } from './rejections.js';

/** One write, its request and its body. */
export interface Write {
  readonly operation: WriteOperation;
  readonly request: OperationRequest;
  readonly body: RequestBody;
}

/** Committed writes, with their answers in the same order. */
interface CommittedWrites extends WrittenEntities {
  readonly answers: readonly Answer[];
}

/**
 * Makes all of the writes or none, in one commit. `commitWrite` is the fast path for one.
 *
 * Reads the writes in order, up to the first fault, and then performs all permission checks. `at` of an error is the position
 * of the write at fault.
 * Errors: those of each operation; CommandsInBatchActOnDifferentPartitions, InvalidDuplicateRow.
 * Source: checks-order 6; checks-order 7; checks-order 8.
 */
export async function commitWrites(writes: Iterable<Write>, writer?: Writer): Promise<CommittedWrites> {
  const group = new Group();
  const queue = writes[Symbol.iterator]();
  for (;;) {
    try {
      const next = queue.next();
      if (next.done) break;
      const { operation, request, body } = next.value;
      const change = operation.prepare(request, body);
      const table = group.isOn(request) ? undefined : openAddressedTable(request);
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
  const outcome = await group.table.commit(changes, writer);
  if (isRejection(outcome)) {
    const change = changes[outcome.at];
    throw errorOfRejection(outcome, change && { table: group.tableName, traits: group.table.traits, change });
  }
  const answers = group.writes.map(({ operation }, index) => operation.answer(outcome[index] ?? null, changes[index]));
  return { answers, table: group.spelling, changes };
}

/** Fast path for a single write, the common case. Errors: those of `commitWrites`. */
export async function commitWrite(
  write: Write,
  writer?: Writer,
): Promise<{ readonly answer: Answer; readonly written: WrittenEntities }> {
  const { operation, request, body } = write;
  const { change, table } = prepareWrite(operation, request, body);
  let permitted: Change;
  try {
    checkRight(request, 0);
    permitted = permitChange(request, change, 0);
  } catch (fault) {
    throw await firstFaultIn(table, fault);
  }
  const changes = [permitted];
  const outcome = await table.commit(changes, writer);
  const spelling = tableOf(request.resource);
  if (isRejection(outcome)) {
    const folded = request.shared.rules.foldTableName(spelling);
    throw errorOfRejection(outcome, { table: folded, traits: table.traits, change: permitted });
  }
  return { answer: operation.answer(outcome[0] ?? null, permitted), written: { table: spelling, changes } };
}

/** Returns the change of a write, and its table, which may be missing. Errors: those of its operation, with its position. */
function prepareWrite(
  operation: WriteOperation,
  request: OperationRequest,
  body: RequestBody,
): { change: PreparedChange; table: TableHandle } {
  try {
    return { change: operation.prepare(request, body), table: openAddressedTable(request) };
  } catch (error) {
    throw at(error, 0);
  }
}

/** Performs the permission check of a write at a position. Errors: those of authorization. */
function checkRight({ shared: { right } }: OperationRequest, index: number): void {
  try {
    right.checkAt('table-found');
    right.assertChecked();
  } catch (error) {
    throw at(error, index);
  }
}

/** Returns a permitted change. Errors: PropertiesNeedValue; AuthorizationFailure for an entity outside a signed range. */
function permitChange({ shared: { identity } }: OperationRequest, change: PreparedChange, index: number): Change {
  if (change.kind === 'keys-missing') throw errorOfMissingKeys(change).placedAt(index);
  const { partitionKey, rowKey } = change.key;
  const range = identity.kind === 'table-signature' ? signedRangeOf(identity) : undefined;
  if (range && !isWithin(range, partitionKey, rowKey)) throw new TableError('AuthorizationFailure', { at: index });
  return change;
}

/** Returns the fault to report: once the first write has been read, a missing table precedes any other fault. */
async function firstFaultIn(table: TableHandle, fault: unknown): Promise<unknown> {
  const first = await missingTableFirst(table, fault);
  return first === fault ? fault : at(first, 0);
}

/** The writes of one transaction so far: on one table, in one partition, each entity once. */
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

  get spelling(): string {
    return this.#spelling ?? '';
  }

  /** Returns whether a request names the table of the transaction. */
  isOn({ resource, shared: { rules } }: OperationRequest): boolean {
    const name = tableOf(resource);
    return name === this.#spelling || this.#tableName === rules.foldTableName(name);
  }

  /** Adds a write. `table` is set if it differs from the table of the transaction so far. */
  add(write: Write, change: PreparedChange, table: TableHandle | undefined): void {
    if (table && this.#table) throw new TableError('CommandsInBatchActOnDifferentPartitions');
    this.#table ??= table;
    this.#spelling ??= tableOf(write.request.resource);
    this.#tableName ??= write.request.shared.rules.foldTableName(this.#spelling);
    if (change.kind !== 'keys-missing') {
      const { partitionKey, rowKey } = change.key;
      this.#partitionKey ??= partitionKey;
      if (partitionKey !== this.#partitionKey) {
        throw new TableError('CommandsInBatchActOnDifferentPartitions', { variant: { name: 'partition-keys' } });
      }
      const first = this.#rowKeys.get(rowKey);
      const second = this.writes.length;
      if (first !== undefined && !write.request.shared.rules.mayRepeat(change)) {
        throw new TableError('InvalidDuplicateRow', { evidence: () => ({ check: 'same-row', rowKey, first, second }) });
      }
      this.#rowKeys.set(rowKey, second);
    }
    this.writes.push(write);
    this.#changes.push(change);
  }

  async firstFault(fault: unknown): Promise<unknown> {
    return this.#table ? firstFaultIn(this.#table, fault) : fault;
  }

  /**
   * Performs all permission checks and returns the changes. Errors: those of authorization, PropertiesNeedValue,
   * AuthorizationFailure for an entity outside a signed range.
   */
  permittedChanges(): Change[] {
    let index = 0;
    for (const { request } of this.writes) checkRight(request, index++);
    const permitted: Change[] = [];
    for (const change of this.#changes) {
      const { request } = this.writes[permitted.length] as Write;
      permitted.push(permitChange(request, change, permitted.length));
    }
    return permitted;
  }
}

/** Returns the same error with the position of the write at fault. */
function at(error: unknown, index: number): unknown {
  if (!(error instanceof TableError)) return error;
  return error.placedAt(index);
}
