import type { Principal } from '../../auth/token-authority.js';
import type { Explanation } from '../../protocol/explanation.js';
import { isOfExplorer } from '../../protocol/header-fields.js';
import type { OperationName } from '../../protocol/operation-names.js';
import { ownText } from '../../remembered.js';
import type { RequestRecord } from '../../service/observe.js';
import { RequestIds } from '../../service/service.js';
import { SlotMemory } from './slot-memory.js';

/** Longest retained URL or header. Unit: UTF-16 code units. (Our choice: clients must not control the journal's memory.) */
const unitsMax = 2048;

/** The retained facts of one request, as sent. The target may contain a signature. */
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
  /** The table that only the body names: that of a batch, or the one to create. */
  readonly table: string | undefined;
  readonly requestId: string;
  readonly clientRequestId: string | undefined;
  readonly userAgent: string | undefined;
  readonly caller: string;
  readonly version: string | undefined;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  /** An index of `credentialKinds`. */
  readonly credentials: number;
  readonly entitiesRead: number;
  readonly entitiesReturned: number;
  /** Whether the answer has a continuation token. */
  readonly continues: boolean;
  /** Whether the page of this server sent it. */
  readonly isExplorers: boolean;
  readonly requestBytes: number;
  readonly answerBytes: number;
  readonly mark: string | undefined;
  /** The ids of the fault rules that acted on it, separated by commas. */
  readonly fault: string | undefined;
  /** The sender according to a verified token. */
  readonly principal: Principal | undefined;
  readonly explanation: Explanation | undefined;
}

/** Facts that a request usually shares with the previous one of the same operation. Such requests share one object. */
interface SharedFacts {
  readonly operation: OperationName | undefined;
  readonly method: string | undefined;
  readonly host: string | undefined;
  readonly account: string | undefined;
  readonly table: string | undefined;
  readonly userAgent: string | undefined;
  readonly caller: string | undefined;
  readonly version: string | undefined;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  readonly mark: string | undefined;
  readonly code: string | undefined;
  readonly fault: string | undefined;
  readonly principal: Principal | undefined;
  readonly explanation: Explanation | undefined;
}

/** Flags of a request, as bits of one number. The two lowest bits are the index of `credentialKinds`. */
const bits = { isTls: 4, continues: 8, isExplorers: 16 } as const;

/**
 * The last requests of a server, in memory of a fixed size. The unshared facts of a request are copied into a slot, so most
 * requests leave nothing to the garbage collector.
 */
export class RequestRing {
  readonly capacity: number;
  readonly #ids: RequestIds;
  readonly #memory: SlotMemory;
  readonly #shared: (SharedFacts | undefined)[];
  /** The newest facts of each operation. */
  readonly #newest = new Map<OperationName | undefined, SharedFacts>();
  #next = 1;

  /** Retains `capacity` requests. `ids` are the request ids of the server. */
  constructor(capacity: number, ids = new RequestIds()) {
    this.capacity = capacity;
    this.#ids = ids;
    this.#memory = new SlotMemory(capacity);
    this.#shared = new Array(capacity).fill(undefined);
  }

  /** Returns the position of the next request. */
  get next(): number {
    return this.#next;
  }

  /** Returns the position of the oldest request; `next` if there is none. */
  get first(): number {
    return Math.max(1, this.#next - this.capacity);
  }

  /** Adds a request in place of the oldest one. `at` is in milliseconds since 1970. */
  push(record: RequestRecord, at: number, mark: string | undefined): void {
    const { request } = record;
    const { headers, target: url } = request;
    const slot = this.#next++ % this.capacity;
    const memory = this.#memory;
    const { numbers, shorts } = memory;
    let number = memory.numberAt(slot);
    numbers[number++] = record.requestNumber;
    numbers[number++] = at;
    numbers[number++] = record.durationMs;
    numbers[number++] = record.entitiesRead;
    numbers[number++] = record.entitiesReturned;
    numbers[number++] = record.requestBytes;
    numbers[number] = record.answerBytes;
    const clientId = record.clientRequestId?.slice(0, unitsMax);
    let short = memory.shortAt(slot);
    shorts[short++] = record.status;
    shorts[short++] =
      credentialsOf(headers.authorization, url) |
      (request.scheme === 'https' ? bits.isTls : 0) |
      (record.continues ? bits.continues : 0) |
      (isOfExplorer(headers) ? bits.isExplorers : 0);
    // A client's id may be empty.
    shorts[short] = clientId === undefined ? 0 : clientId.length + 1;
    const target = url.slice(0, unitsMax);
    memory.setText(slot, clientId ?? '', target);
    this.#shared[slot] = this.#share(record, mark);
    memory.fetch(this.#next % this.capacity);
  }

  /** Returns the request at a position, or undefined if it is not retained. */
  read(seq: number): KeptRequest | undefined {
    if (seq < this.first || seq >= this.#next) return undefined;
    const slot = seq % this.capacity;
    const memory = this.#memory;
    const [requestNumber = 0, at = 0, durationMs = 0, entitiesRead = 0, entitiesReturned = 0, ...bytes] =
      memory.readNumbers(slot);
    const [requestBytes = 0, answerBytes = 0] = bytes;
    const [status = 0, flags = 0, idUnits = 0] = memory.readShorts(slot);
    const text = memory.text(slot);
    const { method = '', host = '', caller = '', ...shared } = this.#shared[slot] as SharedFacts;
    return {
      ...{ ...shared, method, host, caller, seq, at, durationMs, status },
      requestId: this.#ids.write(requestNumber),
      clientRequestId: idUnits === 0 ? undefined : text.slice(0, idUnits - 1),
      target: text.slice(Math.max(0, idUnits - 1)),
      credentials: flags & 3,
      isTls: (flags & bits.isTls) !== 0,
      continues: (flags & bits.continues) !== 0,
      isExplorers: (flags & bits.isExplorers) !== 0,
      ...{ entitiesRead, entitiesReturned, requestBytes, answerBytes },
    };
  }

  /** Returns the shared facts of a request: the object of an earlier one if all are equal. */
  #share(record: RequestRecord, mark: string | undefined): SharedFacts {
    const { operation, account, resource, fault, principal, explanation } = record;
    const table = resource && 'table' in resource ? undefined : record.table;
    const { method, headers, caller } = record.request;
    const { accept, 'x-ms-version': version } = headers;
    const code = (record.rejection ?? record.failedPart?.rejection)?.code;
    const known = this.#newest.get(operation);
    if (
      known !== undefined &&
      known.method === method &&
      known.host === headers.host &&
      known.account === account &&
      known.table === table &&
      known.userAgent === headers['user-agent'] &&
      known.caller === caller &&
      known.version === version &&
      known.accept === accept &&
      known.contentType === headers['content-type'] &&
      known.mark === mark &&
      known.code === code &&
      known.fault === fault &&
      known.principal === principal &&
      known.explanation === explanation
    ) {
      return known;
    }
    const facts = {
      ...{ operation, method, mark, code, fault, principal, explanation },
      host: cut(headers.host),
      account: cut(account),
      table: cut(table),
      userAgent: cut(headers['user-agent']),
      caller,
      version: cut(version),
      accept: cut(accept),
      contentType: cut(headers['content-type']),
    };
    this.#newest.set(operation, facts);
    return facts;
  }
}

/** Returns a copy of a text, truncated if it is long, that retains no larger text in memory. */
function cut(text: string | undefined): string | undefined {
  return text === undefined ? undefined : ownText(text.slice(0, unitsMax));
}

/** The kinds of credentials, as named in the logs of the service. */
export const credentialKinds = ['Anonymous', 'AccountKey', 'SAS', 'OAuth'] as const;

/** Matches the parameter `sig`, percent-encoded or not. */
const signed = /[?&](?:s|%73)(?:i|%69)(?:g|%67)=/;

/** Returns an index of `credentialKinds`. Does not read the signature. */
function credentialsOf(authorization: string | undefined, target: string): number {
  if (authorization === undefined) return signed.test(target) ? 2 : 0;
  if (authorization.startsWith('SharedKey')) return 1;
  return authorization.startsWith('Bearer ') ? 3 : 0;
}
