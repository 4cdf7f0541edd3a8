import type { Change } from '../../entity/stored/change.js';
import { ownText } from '../../entity/stored/own-text.js';
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

/** What was written to one partition. */
export interface WrittenPartition {
  writes: number;
  /** The entities that were written within a second, and the connections that did it. */
  readonly second: EventWindow;
  connection: ClientConnection | undefined;
  isShared: boolean;
  readonly deletes: EventWindow;
}

/** What was written to one table. */
export class WrittenTable {
  /** The table as the first request names it. */
  readonly name: string;
  readonly account: string;
  readonly firstRequest: string;
  lastRequest: string;
  readonly numbers = new RowNumbers();
  readonly types = new StoredTypes();
  readonly partitions = new BoundedMap<string, WrittenPartition>(partitionsMax, ownText);
  /** How many partitions were seen; a forgotten one counts again. */
  partitionsSeen = 0;
  writes = 0;
  inserts = 0;
  deletes = 0;
  hasTimeRows = false;
  readonly #newPartition = (): WrittenPartition => {
    this.partitionsSeen++;
    const none = { writes: 0, connection: undefined, isShared: false };
    return { ...none, second: newWindow(), deletes: newWindow() };
  };

  constructor({ account, table, requestId }: ObservedWrite) {
    this.name = ownText(table);
    this.account = account;
    this.firstRequest = requestId;
    this.lastRequest = requestId;
  }

  /** Returns the state of a partition. */
  partition(partitionKey: string): WrittenPartition {
    return this.partitions.use(partitionKey, this.#newPartition);
  }

  /** Counts one change. */
  count(change: Change): void {
    this.writes++;
    if (change.kind === 'delete') {
      this.deletes++;
      return;
    }
    if (this.writes <= sampledFirst || this.writes % sampledInserts === 0) this.types.add(change.properties);
    if (change.kind !== 'insert' && change.ifMatch !== undefined) return;
    const { rowKey } = change.key;
    if (this.inserts++ % sampledInserts === 0) this.hasTimeRows = isTimeKey(rowKey);
    this.numbers.add(rowKey);
  }

  /** The share of all writes that the busiest partition got. */
  get busiestShare(): number {
    return Math.max(0, ...this.partitions.values().map(({ writes }) => writes)) / this.writes;
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
    partition.isShared = false;
    partition.connection = connection;
  } else if (partition.connection !== connection) partition.isShared = true;
  return partition.isShared ? count : 0;
}
