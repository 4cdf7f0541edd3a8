import type { Explanation } from '../explain/explanation.js';
import { schemeOf } from '../http/exchange.js';
import type { RequestRecord } from '../http/request-record.js';
import type { OperationName } from '../protocol/operation-names.js';
import { credentialsOf } from './credentials.js';
import { isOfExplorer } from './explorer-requests.js';
import { SlotTexts } from './slot-texts.js';

/**
 * Longest text that the ring keeps of a URL or header. Unit: UTF-16 code units. Ours: longer ones would let clients decide
 * how much memory the journal takes.
 */
const unitsMax = 2048;

/** Targets of up to this length are copied: those of single entities and of short queries. Unit: UTF-16 code units. Ours. */
const targetUnits = 128;

/** The length of a request's id. Unit: UTF-16 code units. */
const requestIdUnits = 36;

/** What the ring keeps of one request, as it was sent. The target may contain a signature. */
export interface KeptRequest {
  /** Position in the journal, from 1. */
  readonly seq: number;
  /** When the request ended. Milliseconds since 1970. */
  readonly at: number;
  readonly durationMs: number;
  readonly status: number;
  readonly code: string | undefined;
  readonly operation: OperationName | undefined;
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly isTls: boolean;
  readonly account: string | undefined;
  readonly requestId: string;
  readonly clientRequestId: string | undefined;
  readonly userAgent: string | undefined;
  readonly caller: string;
  readonly version: string | undefined;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  /** How the request was signed: an index of `credentialKinds`. */
  readonly credentials: number;
  readonly entitiesRead: number;
  readonly entitiesReturned: number;
  /** Whether the answer has a continuation token. */
  readonly continues: boolean;
  /** Whether the page of this server has sent it. */
  readonly isExplorers: boolean;
  readonly requestBytes: number;
  readonly answerBytes: number;
  readonly mark: string | undefined;
  /** The ids of the fault rules that acted on it, with commas between them. */
  readonly fault: string | undefined;
  /** Why the request was refused. */
  readonly explanation: Explanation | undefined;
}

/**
 * The last requests of a server, in memory of a fixed size. Numbers are in typed arrays, and texts that every request has of its
 * own are copied, so that keeping most requests leaves nothing to the garbage collector.
 */
export class RequestRing {
  readonly capacity: number;
  readonly #at: Float64Array;
  readonly #duration: Float32Array;
  readonly #status: Uint16Array;
  readonly #credentials: Uint8Array;
  readonly #isTls: Uint8Array;
  readonly #read: Uint32Array;
  readonly #returned: Uint32Array;
  readonly #continues: Uint8Array;
  readonly #isExplorers: Uint8Array;
  readonly #requestBytes: Uint32Array;
  readonly #answerBytes: Uint32Array;
  readonly #targets: SlotTexts;
  readonly #requestIds: SlotTexts;
  readonly #texts: (string | undefined)[];
  /** Texts of the last request that the next one mostly has, too. */
  readonly #last: (string | undefined)[] = new Array(7).fill(undefined);
  readonly #explanations: (Explanation | undefined)[];
  #next = 1;

  /** Keeps this many requests. */
  constructor(capacity: number) {
    this.capacity = capacity;
    this.#at = new Float64Array(capacity);
    this.#duration = new Float32Array(capacity);
    this.#status = new Uint16Array(capacity);
    this.#credentials = new Uint8Array(capacity);
    this.#isTls = new Uint8Array(capacity);
    this.#read = new Uint32Array(capacity);
    this.#returned = new Uint32Array(capacity);
    this.#continues = new Uint8Array(capacity);
    this.#isExplorers = new Uint8Array(capacity);
    this.#requestBytes = new Uint32Array(capacity);
    this.#answerBytes = new Uint32Array(capacity);
    this.#explanations = new Array(capacity).fill(undefined);
    this.#targets = new SlotTexts(capacity, targetUnits);
    this.#requestIds = new SlotTexts(capacity, requestIdUnits);
    this.#texts = new Array(capacity * textsOfRequest).fill(undefined);
  }

  /** Returns the position that the next request gets. */
  get next(): number {
    return this.#next;
  }

  /** Returns the position of the oldest request that is kept. It equals `next` if none is. */
  get first(): number {
    return Math.max(1, this.#next - this.capacity);
  }

  /** Keeps a request in place of the oldest one. `at` is in milliseconds since 1970. */
  push(record: RequestRecord, at: number, mark: string | undefined): void {
    const { request } = record;
    const { headers, socket } = request;
    const slot = this.#next++ % this.capacity;
    this.#at[slot] = at;
    this.#duration[slot] = record.durationMs;
    this.#status[slot] = record.status;
    this.#credentials[slot] = credentialsOf(headers.authorization, request.url ?? '');
    this.#isTls[slot] = schemeOf(request) === 'https' ? 1 : 0;
    this.#read[slot] = record.entitiesRead;
    this.#returned[slot] = record.entitiesReturned;
    this.#continues[slot] = record.continues ? 1 : 0;
    this.#isExplorers[slot] = isOfExplorer(headers) ? 1 : 0;
    this.#requestBytes[slot] = record.requestBytes;
    this.#answerBytes[slot] = record.answerBytes;
    this.#explanations[slot] = record.explanation;
    this.#targets.set(slot, short(request.url) ?? '');
    this.#requestIds.set(slot, record.requestId);
    const texts = this.#texts;
    let text = slot * textsOfRequest;
    texts[text++] = request.method;
    texts[text++] = this.#repeated(0, headers.host);
    texts[text++] = record.operation;
    texts[text++] = (record.refusal ?? record.failedPart?.refusal)?.code;
    texts[text++] = this.#repeated(1, record.account);
    texts[text++] = short(headers['x-ms-client-request-id'] as string | undefined);
    texts[text++] = this.#repeated(2, headers['user-agent']);
    texts[text++] = this.#repeated(3, socket.remoteAddress);
    texts[text++] = this.#repeated(4, headers['x-ms-version'] as string | undefined);
    texts[text++] = this.#repeated(5, headers.accept);
    texts[text++] = this.#repeated(6, headers['content-type']);
    texts[text++] = mark;
    texts[text] = record.fault;
  }

  /**
   * Returns the text of the request before if it is the same. Then the text of this request is garbage at once, and the
   * collector does not move it from one generation to the next. `field` is the place of the text.
   */
  #repeated(field: number, text: string | undefined): string | undefined {
    const last = this.#last[field];
    if (text === last) return last;
    this.#last[field] = short(text);
    return this.#last[field];
  }

  /** Returns the request at a position, or undefined if it is not kept. */
  read(seq: number): KeptRequest | undefined {
    if (seq < this.first || seq >= this.#next) return undefined;
    const slot = seq % this.capacity;
    const from = slot * textsOfRequest;
    const [method = '', host = '', operation, code, account, ...others] = this.#texts.slice(
      from,
      from + textsOfRequest,
    );
    const [clientRequestId, userAgent, caller = '', version, accept, contentType, mark, fault] = others;
    return {
      ...{ seq, method, host, code, account },
      target: this.#targets.get(slot),
      requestId: this.#requestIds.get(slot),
      ...{ clientRequestId, userAgent, caller, version, accept, contentType, mark, fault },
      operation: operation as OperationName | undefined,
      explanation: this.#explanations[slot],
      at: this.#at[slot] ?? 0,
      durationMs: this.#duration[slot] ?? 0,
      status: this.#status[slot] ?? 0,
      credentials: this.#credentials[slot] ?? 0,
      isTls: this.#isTls[slot] === 1,
      entitiesRead: this.#read[slot] ?? 0,
      entitiesReturned: this.#returned[slot] ?? 0,
      continues: this.#continues[slot] === 1,
      isExplorers: this.#isExplorers[slot] === 1,
      requestBytes: this.#requestBytes[slot] ?? 0,
      answerBytes: this.#answerBytes[slot] ?? 0,
    };
  }
}

/** How many texts the ring keeps of a request: those that `push` writes. */
const textsOfRequest = 13;

/** Returns the beginning of a long text as a text of its own: a part of it would keep the whole in memory. */
function short(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= unitsMax) return text;
  return Buffer.from(text.slice(0, unitsMax)).toString();
}
