import type { Change } from '../../../entity/stored/change.js';
import type { EntityKey } from '../../../entity/stored/entity.js';
import { lowerAscii } from '../../../protocol/names.js';
import { BoundedMap, ownText } from '../../../remembered.js';
import type { CommittedTransaction, Writer } from '../../../store/commit-listeners.js';

/** How many changes are retained. (Our choice: a test writes fewer between two of its steps.) */
const changesMax = 8192;

/** Maximum memory for the texts of changes. Unit: bytes. (Our choice.) */
const bytesMax = 16 * 1024 * 1024;

/** Longest retained header. Unit: UTF-16 code units. (Our choice: the User-Agent of an SDK fits.) */
const headerUnitsMax = 256;

/** A committed change of an entity. */
export interface KeptChange {
  /** Position among the changes of this server, from 1. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly account: string;
  /** In the letter case of its creation. */
  readonly table: string;
  readonly key: EntityKey;
  readonly kind: Change['kind'];
  /** Whether the entity did not exist before; undefined if that is not known. */
  readonly isNew: boolean | undefined;
  /** The new Timestamp of the entity. A deletion has one, too. */
  readonly timestamp: string;
  /** Undefined for a change without a request. */
  readonly writer: Writer | undefined;
  readonly mark: string | undefined;
}

/** The entity of a lookup. */
export interface SoughtEntity {
  readonly account: string;
  /** In any letter case. */
  readonly table: string;
  readonly key: EntityKey;
}

/**
 * The last changes by this server, in commit order, bounded in number and bytes. It has keys but no values, and no writes of other
 * servers to the same database.
 */
export class ChangeRing {
  readonly #capacity: number;
  readonly #changes: (KeptChange | undefined)[];
  /** The position of each entity's newest change, by `nameOf`. */
  readonly #newest: BoundedMap<number>;
  /** By slot: the position of the same entity's previous change; 0 if there is none. */
  readonly #before: number[];
  /** The position of the first change that is not yet in `#newest`. */
  #nextIndexed = 1;
  /** Those of the newest change. Usually the next change shares them. */
  #account = '';
  #partitionKey = '';
  #first = 1;
  #next = 1;
  #bytes = 0;

  constructor(capacity = changesMax) {
    this.#capacity = capacity;
    this.#changes = new Array(capacity).fill(undefined);
    this.#before = new Array(capacity).fill(0);
    this.#newest = new BoundedMap(2 * capacity);
  }

  /** The position of the oldest change; `next` if there is none. */
  get first(): number {
    return this.#first;
  }

  /** The position of the next change. */
  get next(): number {
    return this.#next;
  }

  /** Adds the changes of a transaction. `at` is in milliseconds since 1970. */
  push(transaction: CommittedTransaction, at: number, mark: string | undefined): void {
    const { table } = transaction;
    if (transaction.account !== this.#account) this.#account = ownText(transaction.account);
    const account = this.#account;
    const writer = transaction.writer && bounded(transaction.writer);
    for (const { kind, key, isNew, timestamp } of transaction.changes) {
      if (this.#next - this.#first === this.#capacity) this.#dropFirst();
      const seq = this.#next++;
      if (key.partitionKey !== this.#partitionKey) this.#partitionKey = ownText(key.partitionKey);
      const own = { partitionKey: this.#partitionKey, rowKey: ownText(key.rowKey) };
      const change = { seq, at, account, table, key: own, kind, isNew, timestamp, writer, mark };
      this.#changes[seq % this.#capacity] = change;
      this.#bytes += bytesOf(change);
    }
    while (this.#bytes > bytesMax) this.#dropFirst();
  }

  /** Returns the change at a position, or undefined if it is not retained. */
  read(seq: number): KeptChange | undefined {
    return seq < this.#first || seq >= this.#next ? undefined : this.#changes[seq % this.#capacity];
  }

  /** Returns the newest retained change of an entity that passes a test. */
  findLast(entity: SoughtEntity, isSought: (change: KeptChange) => boolean = () => true): KeptChange | undefined {
    this.#indexAll();
    let seq = this.#newest.get(nameOf(entity)) ?? 0;
    for (let change = this.read(seq); change; change = this.read(seq)) {
      if (isSought(change)) return change;
      seq = this.#before[seq % this.#capacity] ?? 0;
    }
    return undefined;
  }

  /** Brings the index up to date. It is rarely needed, so writes do not wait for it. */
  #indexAll(): void {
    for (let seq = Math.max(this.#nextIndexed, this.#first); seq < this.#next; seq++) {
      const name = nameOf(this.#changes[seq % this.#capacity] as KeptChange);
      this.#before[seq % this.#capacity] = this.#newest.get(name) ?? 0;
      this.#newest.set(name, seq);
    }
    this.#nextIndexed = this.#next;
  }

  #dropFirst(): void {
    const slot = this.#first++ % this.#capacity;
    this.#bytes -= bytesOf(this.#changes[slot] as KeptChange);
    this.#changes[slot] = undefined;
  }
}

/** Returns a text that identifies an entity. */
function nameOf({ account, table, key: { partitionKey, rowKey } }: SoughtEntity): string {
  return `${account} ${lowerAscii(table)} ${partitionKey.length} ${partitionKey}${rowKey}`;
}

/** Returns the maximum memory for the texts of a change: two bytes per UTF-16 code unit. */
function bytesOf({ key, timestamp, writer }: KeptChange): number {
  const ofWriter = (writer?.clientRequestId?.length ?? 0) + (writer?.userAgent?.length ?? 0);
  return 2 * (key.partitionKey.length + key.rowKey.length + timestamp.length + ofWriter);
}

function bounded(writer: Writer): Writer {
  const { clientRequestId = '', userAgent = '' } = writer;
  if (Math.max(clientRequestId.length, userAgent.length) <= headerUnitsMax) return writer;
  const cut = (text: string | undefined) => (text === undefined ? undefined : ownText(text.slice(0, headerUnitsMax)));
  return { ...writer, clientRequestId: cut(writer.clientRequestId), userAgent: cut(writer.userAgent) };
}
