import type { Change } from '../../../entity/stored/change.js';
import type { EntityKey } from '../../../entity/stored/entity.js';
import { lowerAscii } from '../../../protocol/names.js';
import { BoundedMap, ownText } from '../../../remembered.js';
import type { CommittedTransaction, Writer } from '../../../store/commit-listeners.js';

/** How many changes are kept. (Our choice: a test writes fewer between two of its steps.) */
const changesMax = 8192;

/** How much memory the texts of the kept changes take at most. Unit: bytes. (Our choice.) */
const bytesMax = 16 * 1024 * 1024;

/** Longest text of a header that is kept. Unit: UTF-16 code units. (Our choice: the User-Agent of an SDK fits.) */
const headerUnitsMax = 256;

/** A change of an entity that was written. */
export interface KeptChange {
  /** Position among the changes of this server, from 1. */
  readonly seq: number;
  /** When it was written. Milliseconds since 1970. */
  readonly at: number;
  readonly account: string;
  /** The name of the table, in the letter case of its creation. */
  readonly table: string;
  readonly key: EntityKey;
  readonly kind: Change['kind'];
  /** The Timestamp that the change gave to the entity. A deletion has one too. */
  readonly timestamp: string;
  /** Undefined for a change that no request asked for. */
  readonly writer: Writer | undefined;
  readonly mark: string | undefined;
}

/** An entity whose changes are looked up. */
export interface SoughtEntity {
  readonly account: string;
  /** In any letter case. */
  readonly table: string;
  readonly key: EntityKey;
}

/**
 * The last changes that this server wrote, in the order of their commits. It has keys and no values, and is bounded in
 * number and in bytes. Writes of other servers to the same database are not in it.
 */
export class ChangeRing {
  readonly #capacity: number;
  readonly #changes: (KeptChange | undefined)[];
  /** The position of the newest change of each entity, by its name. */
  readonly #newest: BoundedMap<number>;
  /** By slot: the position of the change before of the same entity; 0 if there is none. */
  readonly #before: number[];
  /** The position of the next change that `#newest` does not have yet. */
  #nextIndexed = 1;
  /** Those of the newest change. Usually the next one has the same. */
  #account = '';
  #partitionKey = '';
  #first = 1;
  #next = 1;
  #bytes = 0;

  /** Keeps at most this many changes. */
  constructor(capacity = changesMax) {
    this.#capacity = capacity;
    this.#changes = new Array(capacity).fill(undefined);
    this.#before = new Array(capacity).fill(0);
    this.#newest = new BoundedMap(2 * capacity);
  }

  /** The position of the oldest kept change. It equals `next` if none is kept. */
  get first(): number {
    return this.#first;
  }

  /** The position that the next change gets. */
  get next(): number {
    return this.#next;
  }

  /** Keeps the changes of a transaction. `at` is in milliseconds since 1970. */
  push(transaction: CommittedTransaction, at: number, mark: string | undefined): void {
    const { table } = transaction;
    if (transaction.account !== this.#account) this.#account = ownText(transaction.account);
    const account = this.#account;
    const writer = transaction.writer && bounded(transaction.writer);
    for (const { kind, key, timestamp } of transaction.changes) {
      if (this.#next - this.#first === this.#capacity) this.#dropFirst();
      const seq = this.#next++;
      if (key.partitionKey !== this.#partitionKey) this.#partitionKey = ownText(key.partitionKey);
      const own = { partitionKey: this.#partitionKey, rowKey: ownText(key.rowKey) };
      const change = { seq, at, account, table, key: own, kind, timestamp, writer, mark };
      this.#changes[seq % this.#capacity] = change;
      this.#bytes += bytesOf(change);
    }
    while (this.#bytes > bytesMax) this.#dropFirst();
  }

  /** Returns the change at a position, or undefined if it is not kept. */
  read(seq: number): KeptChange | undefined {
    return seq < this.#first || seq >= this.#next ? undefined : this.#changes[seq % this.#capacity];
  }

  /** Returns the newest change of an entity that passes a test, or undefined if none is kept. */
  findLast(entity: SoughtEntity, isSought: (change: KeptChange) => boolean = () => true): KeptChange | undefined {
    this.#indexAll();
    let seq = this.#newest.get(nameOf(entity)) ?? 0;
    for (let change = this.read(seq); change; change = this.read(seq)) {
      if (isSought(change)) return change;
      seq = this.#before[seq % this.#capacity] ?? 0;
    }
    return undefined;
  }

  /** Brings the index up to date. It is rarely needed, so a write does not wait for it. */
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

/** Returns a text that is the same for all changes of an entity, and of no other. */
function nameOf({ account, table, key: { partitionKey, rowKey } }: SoughtEntity): string {
  return `${account} ${lowerAscii(table)} ${partitionKey.length} ${partitionKey}${rowKey}`;
}

/** Returns how much memory the texts of a change take at most: two bytes a UTF-16 code unit. */
function bytesOf({ key, timestamp, writer }: KeptChange): number {
  const ofWriter = (writer?.clientRequestId?.length ?? 0) + (writer?.userAgent?.length ?? 0);
  return 2 * (key.partitionKey.length + key.rowKey.length + timestamp.length + ofWriter);
}

/** Returns a writer whose headers are of bounded length. */
function bounded(writer: Writer): Writer {
  const { clientRequestId = '', userAgent = '' } = writer;
  if (Math.max(clientRequestId.length, userAgent.length) <= headerUnitsMax) return writer;
  const cut = (text: string | undefined) => (text === undefined ? undefined : ownText(text.slice(0, headerUnitsMax)));
  return { ...writer, clientRequestId: cut(writer.clientRequestId), userAgent: cut(writer.userAgent) };
}
