import type { Change } from '../entity/change.js';
import type { EntityKey } from '../entity/entity.js';
import { ownText } from '../entity/own-text.js';
import { writeRequestId } from '../http/request-id.js';
import type { RequestRecord } from '../http/request-record.js';
import { lowerAscii } from '../protocol/names.js';
import type { OperationName } from '../protocol/operation-names.js';
import type { CommittedTransaction } from '../store/commit-listeners.js';
import { SlotMemory } from './slot-memory.js';

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

/** What changes mostly have in common. Such changes share one object. */
interface SharedFacts extends Pick<KeptChange, 'account' | 'table' | 'kind' | 'mark'> {
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
 * What a change has of its own is copied into a slot, because the garbage collector takes longer for an object of each change.
 */
export class ChangeRing {
  readonly #capacity: number;
  readonly #memory: SlotMemory;
  readonly #shared: (SharedFacts | undefined)[];
  /** The facts of the newest change. */
  #facts: SharedFacts | undefined;
  /** The newest position of each bucket of keys. */
  readonly #newest = new Float64Array(bucketsCount);
  #first = 1;
  #next = 1;
  #total = 0;

  /** Keeps at most this many changes. */
  constructor(capacity = changesMax) {
    this.#capacity = capacity;
    this.#memory = new SlotMemory(capacity);
    this.#shared = new Array(capacity).fill(undefined);
  }

  /** The position of the oldest change that is kept. It equals `next` if none is. */
  get first(): number {
    return this.#first;
  }

  /** The position that the next change gets. */
  get next(): number {
    return this.#next;
  }

  /** Keeps the changes of a transaction. `request` asked for them; `at` is in milliseconds since 1970. */
  push(
    { account, table, changes }: CommittedTransaction,
    request: RequestRecord | undefined,
    at: number,
    mark: string | undefined,
  ): void {
    const clientId = request?.clientRequestId?.slice(0, headerUnitsMax);
    const memory = this.#memory;
    const { numbers, shorts } = memory;
    let facts: SharedFacts | undefined;
    for (const { kind, key, timestamp } of changes) {
      const { partitionKey, rowKey } = key;
      if (this.#next - this.#first === this.#capacity) this.#dropFirst();
      const seq = this.#next++;
      const slot = seq % this.#capacity;
      if (facts?.kind !== kind) facts = this.#share(account, table, kind, request, mark);
      this.#shared[slot] = facts;
      memory.setText(slot, partitionKey, rowKey, timestamp, clientId);
      const units = partitionKey.length + rowKey.length + timestamp.length + (clientId?.length ?? 0);
      // Two bytes a unit, which is the most that a text takes.
      const bytes = 2 * (units + (facts.userAgent?.length ?? 0));
      this.#total += bytes;
      const bucket = bucketOf(partitionKey, rowKey);
      let number = memory.numberAt(slot);
      numbers[number++] = this.#newest[bucket] ?? 0;
      numbers[number++] = bytes;
      numbers[number++] = at;
      numbers[number++] = request?.requestNumber ?? noRequest;
      numbers[number] = clientId === undefined ? 0 : 1;
      this.#newest[bucket] = seq;
      let short = memory.shortAt(slot);
      shorts[short++] = partitionKey.length;
      shorts[short++] = rowKey.length;
      shorts[short] = timestamp.length;
    }
    while (this.#total > bytesMax) this.#dropFirst();
  }

  /** Returns the change at a position, or undefined if it is not kept. */
  read(seq: number): KeptChange | undefined {
    if (seq < this.#first || seq >= this.#next) return undefined;
    const slot = seq % this.#capacity;
    const memory = this.#memory;
    const [, , at = 0, requestNumber = noRequest, hasClientId] = memory.readNumbers(slot);
    const [partitionUnits = 0, rowUnits = 0, timestampUnits = 0] = memory.readShorts(slot);
    const rowEnd = partitionUnits + rowUnits;
    const timestampEnd = rowEnd + timestampUnits;
    const text = memory.text(slot);
    const { operation, caller, userAgent, ...shared } = this.#shared[slot] as SharedFacts;
    const clientRequestId = hasClientId ? text.slice(timestampEnd) : undefined;
    return {
      ...{ ...shared, seq, at },
      key: { partitionKey: text.slice(0, partitionUnits), rowKey: text.slice(partitionUnits, rowEnd) },
      timestamp: text.slice(rowEnd, timestampEnd),
      writer:
        requestNumber === noRequest
          ? undefined
          : { requestId: writeRequestId(requestNumber), clientRequestId, operation, caller, userAgent },
    };
  }

  /** Returns the newest change of an entity, or undefined if none is kept. */
  findLast({ account, table, key: { partitionKey, rowKey } }: SoughtEntity): KeptChange | undefined {
    const { numbers } = this.#memory;
    let seq = this.#newest[bucketOf(partitionKey, rowKey)] ?? 0;
    for (; seq >= this.#first; seq = numbers[this.#memory.numberAt(seq % this.#capacity)] ?? 0) {
      const change = this.read(seq);
      if (change?.key.rowKey !== rowKey || change.key.partitionKey !== partitionKey) continue;
      if (change.account === account && lowerAscii(change.table) === lowerAscii(table)) return change;
    }
    return undefined;
  }

  #dropFirst(): void {
    const slot = this.#first++ % this.#capacity;
    this.#total -= this.#memory.numbers[this.#memory.numberAt(slot) + 1] ?? 0;
    this.#memory.clearText(slot);
    this.#shared[slot] = undefined;
  }

  /** Returns the facts of a change: those of the change before if all are the same. */
  #share(
    account: string,
    table: string,
    kind: Change['kind'],
    request: RequestRecord | undefined,
    mark: string | undefined,
  ): SharedFacts {
    const userAgent = request?.request.headers['user-agent'];
    const caller = request?.request.socket.remoteAddress;
    const operation = request?.operation;
    const known = this.#facts;
    if (
      known !== undefined &&
      known.account === account &&
      known.table === table &&
      known.kind === kind &&
      known.mark === mark &&
      known.operation === operation &&
      known.caller === caller &&
      known.userAgent === userAgent
    ) {
      return known;
    }
    this.#facts = {
      ...{ account: ownText(account), table, kind, mark, operation, caller },
      userAgent: userAgent === undefined ? undefined : ownText(userAgent.slice(0, headerUnitsMax)),
    };
    return this.#facts;
  }
}

/** How many buckets the keys are in: a power of two, about as many as changes. */
const bucketsCount = 8192;

/** How many characters of each part of a key decide its bucket: keys mostly differ at their ends. */
const hashedUnits = 16;

/** Returns the bucket of a key, by the FNV-1a hash of the ends of its parts. */
function bucketOf(partitionKey: string, rowKey: string): number {
  return addEnd(addEnd(2_166_136_261, partitionKey), rowKey) & (bucketsCount - 1);
}

function addEnd(hash: number, text: string): number {
  let sum = hash;
  for (let at = Math.max(0, text.length - hashedUnits); at < text.length; at++) {
    sum = Math.imul(sum ^ text.charCodeAt(at), 16_777_619);
  }
  // The low bits of the product alone would not depend on the high ones of the last characters.
  return sum ^ (sum >>> 15);
}
