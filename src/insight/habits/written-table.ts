import type { Change } from '../../entity/stored/change.js';
import { BoundedMap } from '../../remembered.js';
import type { ObservedWrite } from '../observation.js';
import type { ClientConnection } from './client-connection.js';
import { countIn, type EventWindow, newWindow } from './event-window.js';
import { RowNumbers } from './row-numbers.js';
import { StoredTypes } from './stored-types.js';
import { isTimeKey } from './time-key.js';

/** How many partitions of a table are followed. Ours: a busy partition is used often, and stays. */
const partitionsMax = 64;

/** How often the entities of a table are looked at: their keys for times, their properties for types. Unit: writes. Ours. */
const sampledInserts = 64;

/** How many of the first writes are looked at for types: as many as a test makes. Ours. */
const sampledFirst = 256;

/** Entities that were written, and the requests that did it. */
export class CountedWrites {
  entities = 0;
  requests = 0;
  firstRequest = '';
  lastRequest = '';

  /** Counts a request that wrote this many of the entities. */
  add(entities: number, requestId: string): void {
    if (this.requests === 0) this.firstRequest = requestId;
    this.entities += entities;
    this.requests++;
    this.lastRequest = requestId;
  }
}

/** What was written to one partition. */
export interface WrittenPartition {
  readonly writes: CountedWrites;
  /** The entities that were written within a second, and the connections that did it. */
  readonly second: EventWindow;
  /** How many requests did it, without those of a finding that was noted. */
  secondRequests: number;
  connection: ClientConnection | undefined;
  isShared: boolean;
  readonly deletes: EventWindow;
}

/** What was written to one table. */
export class WrittenTable {
  /** The table as the first request names it. */
  readonly name: string;
  readonly account: string;
  readonly numbers = new RowNumbers();
  readonly types = new StoredTypes();
  readonly partitions = new BoundedMap<WrittenPartition>(partitionsMax);
  /** How many partitions were seen; a forgotten one counts again. */
  partitionsSeen = 0;
  /** How many entities were written. */
  writes = 0;
  readonly inserts = new CountedWrites();
  /** Deletions outside of transactions. */
  readonly singleDeletes = new CountedWrites();
  hasTimeRows = false;
  readonly #newPartition = (): WrittenPartition => {
    this.partitionsSeen++;
    const none = { secondRequests: 0, connection: undefined, isShared: false };
    return { ...none, writes: new CountedWrites(), second: newWindow(), deletes: newWindow() };
  };

  constructor({ account, table }: ObservedWrite) {
    this.name = table;
    this.account = account;
  }

  /** Returns the state of a partition. */
  partition(partitionKey: string): WrittenPartition {
    return this.partitions.use(partitionKey, this.#newPartition);
  }

  /** Counts the changes of a request. */
  add({ changes, requestId, isTransaction }: ObservedWrite): void {
    let inserts = 0;
    for (const change of changes) if (this.#addInsert(change, this.inserts.entities + inserts)) inserts++;
    if (inserts > 0) this.inserts.add(inserts, requestId);
    if (!isTransaction && changes[0]?.kind === 'delete') this.singleDeletes.add(1, requestId);
  }

  /** Examines one change. Returns whether it may insert an entity. `before` is how many such changes there were. */
  #addInsert(change: Change, before: number): boolean {
    this.writes++;
    if (change.kind === 'delete') return false;
    if (this.writes <= sampledFirst || this.writes % sampledInserts === 0) this.types.add(change.properties);
    if (change.kind !== 'insert' && change.ifMatch !== undefined) return false;
    const { rowKey } = change.key;
    if (before % sampledInserts === 0) this.hasTimeRows = isTimeKey(rowKey);
    this.numbers.add(rowKey);
    return true;
  }

  /** What was written to the busiest partition. */
  get busiest(): CountedWrites {
    const all = this.partitions.values().map(({ writes }) => writes);
    return all.reduce((most, one) => (one.entities > most.entities ? one : most), new CountedWrites());
  }
}

/**
 * Counts entities that a connection writes to a partition. Returns how many the current second has if several connections
 * write there, otherwise 0: a single client waits for each answer, so in the cloud it would write more slowly.
 */
export function countInSecond(
  partition: WrittenPartition,
  { at, connection }: ObservedWrite,
  entities: number,
): number {
  const { second } = partition;
  const { since } = second;
  const count = countIn(second, at, 1000, entities);
  if (second.since !== since) {
    partition.secondRequests = 0;
    partition.isShared = false;
    partition.connection = connection;
  } else if (partition.connection !== connection) partition.isShared = true;
  partition.secondRequests++;
  return partition.isShared ? count : 0;
}
