import { ownText } from '../coach/own-text.js';
import type { Change } from '../entity/change.js';
import type { EntityKey } from '../entity/entity.js';
import type { RequestRecord } from '../http/request-record.js';
import { lowerAscii } from '../protocol/names.js';
import type { OperationName } from '../protocol/operation-names.js';
import type { CommittedTransaction } from '../store/commit-listeners.js';

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

/**
 * The last changes that this server wrote, in the order of their commits. It has keys and no values, and is bounded in
 * number and in bytes. What other servers write into the same database is not in it.
 *
 * Texts and numbers are in arrays of their own, because the collector of the runtime takes longer for an object of each
 * change.
 */
export class ChangeRing {
  readonly #capacity: number;
  readonly #at: Float64Array;
  readonly #bytes: Uint32Array;
  readonly #texts: (string | undefined)[];
  /** The newest position of each bucket of keys, and for each change the position before it in its bucket. */
  readonly #newest = new Float64Array(bucketsCount);
  readonly #before: Float64Array;
  #first = 1;
  #next = 1;
  #total = 0;
  #lastPartitionKey = '';
  #lastUserAgent: string | undefined;

  /** Keeps at most this many changes. */
  constructor(capacity = changesMax) {
    this.#capacity = capacity;
    this.#at = new Float64Array(capacity);
    this.#bytes = new Uint32Array(capacity);
    this.#before = new Float64Array(capacity);
    this.#texts = new Array(capacity * textsOfChange).fill(undefined);
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
    const sent = request?.request;
    const clientRequestId = cut(sent?.headers['x-ms-client-request-id'] as string | undefined);
    const userAgent = this.#userAgent(sent?.headers['user-agent']);
    const caller = sent?.socket.remoteAddress;
    const unitsOfRequest = (clientRequestId?.length ?? 0) + (userAgent?.length ?? 0);
    for (const { kind, key, timestamp } of changes) {
      const partitionKey = this.#partitionKey(key.partitionKey);
      const rowKey = ownText(key.rowKey);
      if (this.#next - this.#first === this.#capacity) this.#dropFirst();
      const seq = this.#next++;
      const slot = seq % this.#capacity;
      // Two bytes a unit, which is the most that a text takes.
      const bytes = 2 * (partitionKey.length + rowKey.length + timestamp.length + unitsOfRequest);
      this.#bytes[slot] = bytes;
      this.#total += bytes;
      this.#at[slot] = at;
      const bucket = bucketOf(partitionKey, rowKey);
      this.#before[slot] = this.#newest[bucket] ?? 0;
      this.#newest[bucket] = seq;
      const texts = this.#texts;
      let text = slot * textsOfChange;
      texts[text++] = partitionKey;
      texts[text++] = rowKey;
      texts[text++] = account;
      texts[text++] = table;
      texts[text++] = kind;
      texts[text++] = timestamp;
      texts[text++] = mark;
      texts[text++] = request?.requestId;
      texts[text++] = clientRequestId;
      texts[text++] = request?.operation;
      texts[text++] = caller;
      texts[text] = userAgent;
    }
    while (this.#total > bytesMax) this.#dropFirst();
  }

  /** Returns the change at a position, or undefined if it is not kept. */
  read(seq: number): KeptChange | undefined {
    if (seq < this.#first || seq >= this.#next) return undefined;
    const slot = seq % this.#capacity;
    const from = slot * textsOfChange;
    const [partitionKey = '', rowKey = '', account = '', table = '', kind, timestamp = '', mark, ...others] =
      this.#texts.slice(from, from + textsOfChange);
    const [requestId, clientRequestId, operation, caller, userAgent] = others;
    return {
      ...{ seq, at: this.#at[slot] ?? 0, account, table, key: { partitionKey, rowKey }, timestamp, mark },
      kind: kind as Change['kind'],
      writer:
        requestId === undefined
          ? undefined
          : { requestId, clientRequestId, operation: operation as OperationName | undefined, caller, userAgent },
    };
  }

  /** Returns the newest change of an entity, or undefined if none is kept. */
  findLast({ account, table, key: { partitionKey, rowKey } }: SoughtEntity): KeptChange | undefined {
    let seq = this.#newest[bucketOf(partitionKey, rowKey)] ?? 0;
    for (; seq >= this.#first; seq = this.#before[seq % this.#capacity] ?? 0) {
      const from = (seq % this.#capacity) * textsOfChange;
      if (this.#texts[from + 1] !== rowKey || this.#texts[from] !== partitionKey) continue;
      const change = this.read(seq);
      if (change?.account === account && lowerAscii(change.table) === lowerAscii(table)) return change;
    }
    return undefined;
  }

  #dropFirst(): void {
    const slot = this.#first++ % this.#capacity;
    this.#total -= this.#bytes[slot] ?? 0;
    this.#texts.fill(undefined, slot * textsOfChange, (slot + 1) * textsOfChange);
  }

  /** Returns the User-Agent of the request before if it is the same, so that most texts are garbage at once. */
  #userAgent(userAgent: string | undefined): string | undefined {
    if (userAgent !== this.#lastUserAgent) this.#lastUserAgent = cut(userAgent);
    return this.#lastUserAgent;
  }

  #partitionKey(partitionKey: string): string {
    if (partitionKey !== this.#lastPartitionKey) this.#lastPartitionKey = ownText(partitionKey);
    return this.#lastPartitionKey;
  }
}

/** How many texts the ring keeps of a change: those that `push` writes. */
const textsOfChange = 12;

function cut(text: string | undefined): string | undefined {
  return text === undefined || text.length <= headerUnitsMax ? text : ownText(text.slice(0, headerUnitsMax));
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
