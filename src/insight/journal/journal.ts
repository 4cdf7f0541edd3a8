import { parseAddress, parseResource, readRepeatedTable } from '../../address/parse-address.js';
import type { Query } from '../../address/query.js';
import type { Resource } from '../../address/resource.js';
import { type OperationName, pointOperations } from '../../protocol/operation-names.js';
import { parseFilter } from '../../query/filter/parse-filter.js';
import { BoundedMap, ownText } from '../../remembered.js';
import type { RequestRecord } from '../../service/observe.js';
import { RequestIds } from '../../service/service.js';
import type { CommittedTransaction } from '../../store/commit-listeners.js';
import type { CostsOf } from '../coach/feed-coach.js';
import { keyedCosts } from '../queries/cost-model.js';
import { judgeQuery, type QueryFault } from '../queries/judge-query.js';
import type { QueryClass } from '../queries/query-classes.js';
import { writeQueryShape } from '../queries/write-shape.js';
import { BodyKeeper, type BodyTexts } from './body-keeper.js';
import { ChangeRing } from './changes/change-ring.js';
import { type KeptRequest, RequestRing } from './request-ring.js';

/** A request of the journal with the facts of its target, which usually names the table. */
export interface JournalEntry extends KeptRequest, TargetFacts {}

/** Longest name of a mark. Unit: UTF-16 code units. (Our choice: the full name of a test fits.) */
const markUnitsMax = 256;

/** Maximum number of known marks. (Our choice: the tests of a large file.) */
const placesMax = 1024;

/** The operations whose answers are secrets. */
const secretAnswers: ReadonlySet<OperationName | undefined> = new Set(['Get User Delegation Key']);

/** The place of a mark among requests and changes. */
export interface MarkedPlace {
  /** The position of the next request. */
  readonly next: number;
  /** The position of the last change before it. */
  readonly seq: number;
}

/** Called after a request or a commit, and when the journal is closed. */
export type JournalListener = () => void;

/**
 * The journal of a server: its last requests, in memory, with marks between them. Each server has its own, even if several serve
 * one database.
 */
export class Journal {
  /** The last changes by this server, with the same marks. */
  readonly changes = new ChangeRing();
  readonly #bodies: BodyKeeper;
  readonly #ring: RequestRing;
  readonly #now: () => number;
  readonly #markOf: (account: string) => string | undefined;
  readonly #targets: TargetReader;
  readonly #listeners = new Set<JournalListener>();
  /** The position of the last change before each mark, the newest mark at the end. */
  readonly #places = new Map<string, number>();
  #mark: string | undefined;
  #isClosed = false;

  /**
   * Retains `capacity` requests. `now` returns milliseconds since 1970, `costsOf` the cost model of an account, `markOf` the mark of
   * its own. `ids` are the request ids of the server.
   */
  constructor(
    capacity: number,
    now: () => number = Date.now,
    costsOf: CostsOf = () => keyedCosts,
    ids = new RequestIds(),
    markOf: (account: string) => string | undefined = () => undefined,
  ) {
    this.#markOf = markOf;
    this.#targets = new TargetReader(costsOf);
    this.#ring = new RequestRing(capacity, ids);
    this.#bodies = new BodyKeeper(capacity);
    this.#now = now;
  }

  get capacity(): number {
    return this.#ring.capacity;
  }

  /** The position of the oldest request; `next` if there is none. */
  get first(): number {
    return this.#ring.first;
  }

  /** The position of the next request. */
  get next(): number {
    return this.#ring.next;
  }

  /** Returns the mark of the next request of an account: its own, or that of the server. */
  markFor(account: string | undefined): string | undefined {
    return (account === undefined ? undefined : this.#markOf(account)) ?? this.#mark;
  }

  /** Adds a finished request. `at` is in milliseconds since 1970. */
  observe(record: RequestRecord, at = this.#now()): void {
    if (record.bodies && !secretAnswers.has(record.operation)) this.#bodies.keep(this.#ring.next, record.bodies);
    this.#ring.push(record, at, this.markFor(record.account));
    this.#notify();
  }

  observeCommit(transaction: CommittedTransaction): void {
    this.changes.push(transaction, this.#now(), this.markFor(transaction.account));
    this.#notify();
  }

  /** Marks the next requests and changes, for example with the name of a test. A reused name stands for its newest place. */
  mark(name: string): MarkedPlace {
    this.#mark = ownText(name.slice(0, markUnitsMax));
    const place = { next: this.#ring.next, seq: this.changes.next - 1 };
    this.#places.delete(this.#mark);
    this.#places.set(this.#mark, place.seq);
    const [oldest = ''] = this.#places.keys();
    if (this.#places.size > placesMax) this.#places.delete(oldest);
    return place;
  }

  /** Returns the position of the last change before a mark; undefined if the mark is unknown or was dropped. */
  placeOf(mark: string): number | undefined {
    return this.#places.get(mark.slice(0, markUnitsMax));
  }

  /** Returns the request at a position; undefined if it is not retained, or is of another account than `only`. */
  read(seq: number, only?: string): JournalEntry | undefined {
    const request = this.#ring.read(seq);
    if (!request || (only !== undefined && request.account !== only)) return undefined;
    const facts = this.#targets.read(request);
    const { resource } = facts;
    return { ...request, ...facts, table: resource && 'table' in resource ? resource.table : request.table };
  }

  /** Returns the bodies and headers of the request at a position; undefined if they are not retained. */
  readBodies(seq: number): BodyTexts | undefined {
    return seq >= this.first ? this.#bodies.read(seq) : undefined;
  }

  /** Returns the newest retained request with this `x-ms-request-id` or `x-ms-client-request-id`. */
  find(id: string): JournalEntry | undefined {
    return this.findAttempts(id).at(-1);
  }

  /** Returns all retained requests with such an id, oldest first: a client that retries sends the same id each time. */
  findAttempts(id: string): readonly JournalEntry[] {
    const attempts: JournalEntry[] = [];
    for (let seq = this.first; seq < this.next; seq++) {
      const request = this.#ring.read(seq);
      const entry = request?.requestId === id || request?.clientRequestId === id ? this.read(seq) : undefined;
      if (entry) attempts.push(entry);
    }
    return attempts;
  }

  /** Returns the newest rejected request, if one is retained. */
  lastRejected(): JournalEntry | undefined {
    for (let seq = this.next - 1; seq >= this.first; seq--) {
      if (this.#ring.read(seq)?.explanation) return this.read(seq);
    }
    return undefined;
  }

  /** Whether the server is stopping, so readers should not wait for more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Notifies the listeners for the last time. A stopping server waits for the end of their streams. */
  close(): void {
    this.#isClosed = true;
    this.#notify();
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Adds a listener. Returns a function that removes it. */
  listen(listener: JournalListener): () => void {
    const own: JournalListener = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  #notify(): void {
    if (this.#listeners.size > 0) for (const listener of this.#listeners) listener();
  }
}

/** The facts of a request's target. A field is absent if the target lacks it or cannot be read. */
interface TargetFacts {
  readonly resource?: Resource;
  /** The `$filter`, decoded. */
  readonly filter?: string;
  /** The class of a query by its filter; `point` for a request for one entity. */
  readonly query?: JudgedQuery;
  /** Equal for all queries that differ only in their values. */
  readonly shape?: string;
}

interface JudgedQuery {
  readonly class: QueryClass;
  readonly fault?: QueryFault;
}

/** Size of the query cache. (Our choice: a program has few forms of queries, and most repeat their values.) */
const rememberedMax = 256;

interface ReadQuery {
  readonly query: JudgedQuery;
  readonly shape: string;
}

/** Reads the targets of requests. It caches queries, because parsing one takes longer than a point read. */
class TargetReader {
  readonly #remembered = new BoundedMap<ReadQuery>(rememberedMax);
  readonly #costsOf: CostsOf;

  constructor(costsOf: CostsOf) {
    this.#costsOf = costsOf;
  }

  /** Returns the facts of a target. Never throws: of a rejected target, it returns the readable part. */
  read({ target, host, isTls, account, operation }: KeptRequest): TargetFacts {
    if (account === undefined) return {};
    let facts: TargetFacts = {};
    try {
      const scheme = isTls ? 'https' : 'http';
      const { resourcePath, query } = parseAddress({ url: target, host, scheme }, new Set([account]), {
        hasDefaultAccount: true,
      });
      const path = parseResource(resourcePath);
      const resource = path.kind === 'nested' ? readRepeatedTable(path) : path;
      if (!resource) return {};
      const filter = query.get('$filter');
      facts = { resource, ...(filter !== undefined && { filter }) };
      if (pointOperations.has(operation)) return { ...facts, query: { class: 'point' } };
      if (operation !== 'Query Entities' || resource.kind !== 'entities') return facts;
      const { query: kind, shape } = this.readQuery(resource.table, query, account);
      return { ...facts, query: kind, shape };
    } catch {
      return facts;
    }
  }

  /** Returns the class and the shape of a query. Errors: those of `parseFilter`. */
  readQuery(table: string, options: Query, account: string | undefined): ReadQuery {
    const [filter = '', select, top] = [options.get('$filter'), options.get('$select'), options.get('$top')];
    const costs = this.#costsOf(account);
    const key = [account, table, filter, select, top].join('\n');
    return this.#remembered.use(key, () => {
      const rowsMax = top === undefined ? undefined : Number(top);
      const parsed = parseFilter(filter);
      const classified = costs.classify(parsed);
      const fault = judgeQuery(classified, rowsMax !== undefined);
      const shape = writeQueryShape(table, parsed, { select, rowsMax });
      return { query: { class: classified.class, ...(fault && { fault }) }, shape };
    });
  }
}
