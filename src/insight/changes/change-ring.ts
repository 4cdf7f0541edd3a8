import type { Change } from '../../entity/stored/change.js';
import type { EntityKey } from '../../entity/stored/entity.js';
import { lowerAscii } from '../../protocol/names.js';
import type { OperationName } from '../../protocol/operation-names.js';
import { ownText } from '../../remembered.js';
import { RequestIds } from '../../service/service.js';
import type { Routed } from '../../service/stages.js';
import type { CommittedTransaction } from '../../store/commit-listeners.js';
import { ChangeRecords } from './change-records.js';
import { KeyIndex } from './key-index.js';

/** How many changes are kept. Ours: a test writes fewer between two of its steps. */
const changesMax = 8192;

/** How much memory the texts of the kept changes take at most. Unit: bytes. Ours. */
const bytesMax = 16 * 1024 * 1024;

/** Longest text of a header that is kept. Unit: UTF-16 code units. Ours: the User-Agent of an SDK fits. */
const headerUnitsMax = 256;

/** The request that asked for a change, as far as it tells of itself. */
export interface ChangeWriter {
  readonly requestId: string;
  readonly clientRequestId: string | undefined;
  readonly operation: OperationName | undefined;
  /** IP address. */
  readonly caller: string | undefined;
  readonly userAgent: string | undefined;
}

/** One change of an entity that was written. */
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
  readonly writer: ChangeWriter | undefined;
  readonly mark: string | undefined;
}

/** The entity that a change is looked for. */
export interface SoughtEntity {
  readonly account: string;
  /** In any letter case. */
  readonly table: string;
  readonly key: EntityKey;
}

/** What transactions mostly have in common. Such transactions share one object. */
interface SharedFacts extends Pick<KeptChange, 'account' | 'table' | 'mark'> {
  readonly operation: OperationName | undefined;
  readonly caller: string | undefined;
  readonly userAgent: string | undefined;
}

/** The number of the request of a change that no request asked for. */
const noRequest = 0;

/**
 * The last changes that this server wrote, in the order of their commits. It has keys and no values, and is bounded in
 * number and in bytes. What other servers write into the same database is not in it.
 *
 * What a change has of its own is copied into pages of memory, because the garbage collector takes longer for an object of each
 * change.
 */
export class ChangeRing {
  readonly #ids: RequestIds;
  readonly #capacity: number;
  readonly #records: ChangeRecords<SharedFacts>;
  /** How much memory the texts of each slot take at most. Unit: bytes. */
  readonly #sizes: Uint32Array;
  readonly #index: KeyIndex;
  /** The position of the next change that the index does not have yet. */
  #nextIndexed = 1;
  /** The facts of the newest transaction. */
  #facts: SharedFacts | undefined;
  #first = 1;
  #next = 1;
  #total = 0;

  /** Keeps at most this many changes of a server, the ids of whose requests are `ids`. */
  constructor(ids = new RequestIds(), capacity = changesMax) {
    this.#ids = ids;
    this.#capacity = capacity;
    this.#records = new ChangeRecords(capacity);
    this.#sizes = new Uint32Array(capacity);
    this.#index = new KeyIndex(capacity);
  }

  /** The position of the oldest change that is kept. It equals `next` if none is. */
  get first(): number {
    return this.#first;
  }

  /** The position that the next change gets. */
  get next(): number {
    return this.#next;
  }

  /** Keeps the changes of a transaction. `asker` asked for them; `at` is in milliseconds since 1970. */
  push(
    { account, table, changes }: CommittedTransaction,
    asker: Routed | undefined,
    at: number,
    mark: string | undefined,
  ): void {
    const received = asker?.authenticated.received;
    const clientId = received?.headers['x-ms-client-request-id']?.slice(0, headerUnitsMax);
    const facts = this.#share(account, table, asker, mark);
    const head = { at, requestNumber: received?.number ?? noRequest, clientId, facts };
    const sharedUnits = (clientId?.length ?? 0) + (facts.userAgent?.length ?? 0);
    for (const { kind, key, timestamp } of changes) {
      if (this.#next - this.#first === this.#capacity) this.#dropFirst();
      const slot = this.#next++ % this.#capacity;
      this.#records.write(slot, head, kind, key, timestamp);
      // Two bytes a unit, which is the most that a text takes.
      const bytes = 2 * (key.partitionKey.length + key.rowKey.length + timestamp.length + sharedUnits);
      this.#sizes[slot] = bytes;
      this.#total += bytes;
    }
    this.#records.endTransaction();
    while (this.#total > bytesMax) this.#dropFirst();
    if (this.#first < this.#next) this.#records.releaseBefore(this.#first % this.#capacity);
  }

  /** Returns the change at a position, or undefined if it is not kept. */
  read(seq: number): KeptChange | undefined {
    if (seq < this.#first || seq >= this.#next) return undefined;
    const { at, requestNumber, clientId: clientRequestId, facts, ...own } = this.#records.read(seq % this.#capacity);
    const { operation, caller, userAgent, ...shared } = facts;
    return {
      ...{ ...shared, ...own, seq, at },
      writer:
        requestNumber === noRequest
          ? undefined
          : { requestId: this.#ids.write(requestNumber), clientRequestId, operation, caller, userAgent },
    };
  }

  /** Returns the newest change of an entity, or undefined if none is kept. */
  findLast(
    { account, table, key: { partitionKey, rowKey } }: SoughtEntity,
    isSought: (change: KeptChange) => boolean = () => true,
  ): KeptChange | undefined {
    this.#indexAll();
    for (let seq = this.#index.newest(partitionKey, rowKey); seq >= this.#first; seq = this.#index.before(seq)) {
      const change = this.read(seq);
      if (change?.key.rowKey !== rowKey || change.key.partitionKey !== partitionKey) continue;
      const isOfEntity = change.account === account && lowerAscii(change.table) === lowerAscii(table);
      if (isOfEntity && isSought(change)) return change;
    }
    return undefined;
  }

  /** Brings the index up to date. It is rarely needed, so a write does not wait for it. */
  #indexAll(): void {
    for (let seq = Math.max(this.#nextIndexed, this.#first); seq < this.#next; seq++) {
      this.#records.readKey(seq % this.#capacity, (partitionKey, rowKey) => this.#index.add(seq, partitionKey, rowKey));
    }
    this.#nextIndexed = this.#next;
  }

  #dropFirst(): void {
    this.#total -= this.#sizes[this.#first % this.#capacity] ?? 0;
    this.#first++;
  }

  /** Returns the facts of a transaction: those of the transaction before if all are the same. */
  #share(account: string, table: string, asker: Routed | undefined, mark: string | undefined): SharedFacts {
    const received = asker?.authenticated.received;
    const userAgent = received?.headers['user-agent'];
    const caller = received?.caller;
    const operation = asker?.row.operation.name;
    const known = this.#facts;
    if (
      known !== undefined &&
      known.account === account &&
      known.table === table &&
      known.mark === mark &&
      known.operation === operation &&
      known.caller === caller &&
      known.userAgent === userAgent
    ) {
      return known;
    }
    this.#facts = {
      ...{ account: ownText(account), table, mark, operation, caller },
      userAgent: userAgent === undefined ? undefined : ownText(userAgent.slice(0, headerUnitsMax)),
    };
    return this.#facts;
  }
}
