import type { Change } from '../../../entity/stored/change.js';
import { BoundedMap, ownText } from '../../../remembered.js';
import { thresholds } from '../../rules/thresholds.js';
import type { Finding } from '../finding.js';
import type { ObservedQuery, ObservedRequest, ObservedWrite } from '../observation.js';
import { NotedFindings } from './noted-findings.js';

/** How many tables are tracked for reads before writes. (Our choice.) */
const tablesMax = 64;

class ClientConnection {
  /** A run of the same kind of operation in one partition, each on a different entity than the previous one. */
  kind: 'read' | 'write' | undefined = undefined;
  table = '';
  partitionKey = '';
  rowKey = '';
  /** When the run began. Milliseconds since 1970. */
  since = 0;
  count = 0;
  /** Time of the last read of an entity. */
  readAt = Number.NEGATIVE_INFINITY;
  /** The last query, if it read one partition. `read` is the number of entities. */
  queried: { readonly table: string; readonly partitionKey: string; readonly read: number } | undefined = undefined;
}

/**
 * Follows the steps of each client. A connection stands for a client, because its requests arrive one after the other. Operations
 * on one partition that alternate between connections are parallel, and are not a run.
 */
export class ConnectionSteps {
  #connections = new WeakMap<object, ClientConnection>();
  #last: ClientConnection | undefined;
  readonly #readsBeforeWrite = new BoundedMap<{ count: number }>(tablesMax);
  readonly #noted = new NotedFindings();

  /** Follows a read of one entity by its keys, successful or not. */
  readPoint(request: ObservedRequest, partitionKey: string, rowKey: string): void {
    const steps = this.#stateOf(request);
    steps.readAt = request.at;
    const count = this.#extend(steps, 'read', request, partitionKey, rowKey, thresholds.pointReadsMs);
    if (isNoted(count, thresholds.pointReads)) {
      this.#noted.note(
        {
          name: 'n+1/sequence',
          severity: isAfterQuery(steps) ? 'warn' : 'info',
          shape: 'Get Entity, one after the other',
          calls: count === thresholds.pointReads ? count : count / 2,
        },
        request,
      );
    }
  }

  write(request: ObservedWrite): void {
    const [change] = request.changes;
    const steps = this.#stateOf(request);
    if (!change) return;
    const { partitionKey, rowKey } = change.key;
    if (request.isTransaction) {
      steps.kind = undefined;
      return;
    }
    if (isBlind(change) && this.#hasJustRead(steps, request, partitionKey, rowKey)) this.#countReadBefore(request);
    if (change.kind === 'delete' || isUpsert(change)) {
      steps.kind = undefined;
      return;
    }
    const count = this.#extend(steps, 'write', request, partitionKey, rowKey, thresholds.singleWritesMs);
    if (isNoted(count, thresholds.singleWrites)) {
      const calls = count === thresholds.singleWrites ? count : count / 2;
      this.#noted.note(
        { name: 'single-writes/writes', severity: 'info', shape: 'single writes to one partition', calls },
        request,
      );
    }
  }

  query(request: ObservedQuery): void {
    const { table, query, read } = request;
    const steps = this.#stateOf(request);
    steps.kind = undefined;
    const { from, to } = query.reads ?? {};
    const partitionKey = from?.partitionKey;
    steps.queried =
      partitionKey !== undefined && partitionKey === to?.partitionKey
        ? { table, partitionKey: ownText(partitionKey), read }
        : undefined;
  }

  findings(): readonly Finding[] {
    return this.#noted.findings();
  }

  clear(): void {
    this.#connections = new WeakMap();
    this.#last = undefined;
    this.#noted.clear();
    this.#readsBeforeWrite.clear();
  }

  #stateOf({ connection }: ObservedRequest): ClientConnection {
    const known = this.#connections.get(connection);
    if (known) return known;
    const state = new ClientConnection();
    this.#connections.set(connection, state);
    return state;
  }

  /** Extends the run of a connection, or begins one. Returns its number of operations. */
  #extend(
    steps: ClientConnection,
    kind: 'read' | 'write',
    { table, at }: ObservedRequest,
    partitionKey: string,
    rowKey: string,
    lengthMs: number,
  ): number {
    const last = this.#last;
    this.#last = steps;
    const isParallel =
      last !== undefined &&
      last !== steps &&
      last.kind === kind &&
      last.partitionKey === partitionKey &&
      last.table === table;
    if (isParallel) last.count = 0;
    const continues =
      steps.kind === kind &&
      steps.partitionKey === partitionKey &&
      steps.table === table &&
      steps.rowKey !== rowKey &&
      at - steps.since <= lengthMs;
    if (!continues) {
      steps.kind = kind;
      steps.table = table;
      steps.partitionKey = ownText(partitionKey);
      steps.since = at;
      steps.count = 0;
    }
    steps.rowKey = ownText(rowKey);
    steps.count = isParallel ? 0 : steps.count + 1;
    return steps.count;
  }

  #hasJustRead(steps: ClientConnection, { table, at }: ObservedRequest, partitionKey: string, rowKey: string): boolean {
    return (
      steps.kind === 'read' &&
      at - steps.readAt <= thresholds.readBeforeWriteMs &&
      steps.rowKey === rowKey &&
      steps.partitionKey === partitionKey &&
      steps.table === table
    );
  }

  #countReadBefore(request: ObservedRequest): void {
    const count = ++this.#readsBeforeWrite.use(`${request.account}\n${request.table}`, () => ({ count: 0 })).count;
    const { readsBeforeWrite, readsBeforeWriteWarn } = thresholds;
    if (count < readsBeforeWrite) return;
    const calls = count === readsBeforeWrite ? count : 1;
    this.#noted.note(
      {
        name: 'read-before-write',
        severity: count >= readsBeforeWriteWarn ? 'warn' : 'info',
        shape: 'Get Entity, then a write without its ETag',
        calls,
      },
      request,
    );
  }
}

/** Whether a run is noted at this length: when it reaches the threshold, and whenever it has doubled. */
function isNoted(count: number, threshold: number): boolean {
  const times = count / threshold;
  return times >= 1 && Number.isInteger(Math.log2(times));
}

/**
 * Whether a write overwrites its entity unseen. An insert never does: after a read without a result, it is the usual way to get
 * or create an entity. A deletion writes no values.
 */
function isBlind(change: Change): boolean {
  if (change.kind === 'insert' || change.kind === 'delete') return false;
  return change.ifMatch === undefined || change.ifMatch === '*';
}

/**
 * Whether a write stores an entity regardless of its existence, as a key-value store does with one value at a time. Such a store
 * does not know its next write, so it cannot batch them into a transaction.
 */
function isUpsert(change: Change): boolean {
  return (change.kind === 'replace' || change.kind === 'merge') && change.ifMatch === undefined;
}

/** Whether a query of the partition has probably just returned the entities of a run, judging by their number. */
function isAfterQuery({ count, table, partitionKey, queried }: ClientConnection): boolean {
  return (
    queried?.table === table &&
    queried.partitionKey === partitionKey &&
    queried.read >= count &&
    queried.read <= count * thresholds.pointReadsSpread
  );
}
