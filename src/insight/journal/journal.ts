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

/** A request of the journal, with what its target tells, which is also where its table usually is. */
export interface JournalEntry extends KeptRequest, TargetFacts {}

/** Longest name of a mark. Unit: UTF-16 code units. (Our choice: the full name of a test fits.) */
const markUnitsMax = 256;

/** How many marks are known as places. (Our choice: the tests of a large file.) */
const placesMax = 1024;

/** The operations whose answers are secrets. */
const secretAnswers: ReadonlySet<OperationName | undefined> = new Set(['Get User Delegation Key']);

/** Where a mark is: between which requests, and between which changes. */
export interface MarkedPlace {
  /** The position of the next request. */
  readonly next: number;
  /** The position of the last change before it. */
  readonly seq: number;
}

/** Is called after a request or changes were kept, and when the journal is closed. */
export type JournalListener = () => void;

/**
 * The journal of a server: its last requests, in memory, with marks between them. It is each server's own, also where
 * several serve one database.
 */
export class Journal {
  /** What this server has written, between the same marks. */
  readonly changes = new ChangeRing();
  readonly #bodies: BodyKeeper;
  readonly #ring: RequestRing;
  readonly #now: () => number;
  readonly #targets: TargetReader;
  readonly #listeners = new Set<JournalListener>();
  /** The position of the last change before each mark, the newest mark at the end. */
  readonly #places = new Map<string, number>();
  #mark: string | undefined;
  #isClosed = false;

  /**
   * Keeps this many requests. `now` is in milliseconds since 1970. `costsOf` returns how the service of an account finds
   * entities, `ids` are those of the requests of the server.
   */
  constructor(
    capacity: number,
    now: () => number = Date.now,
    costsOf: CostsOf = () => keyedCosts,
    ids = new RequestIds(),
  ) {
    this.#targets = new TargetReader(costsOf);
    this.#ring = new RequestRing(capacity, ids);
    this.#bodies = new BodyKeeper(capacity);
    this.#now = now;
  }

  get capacity(): number {
    return this.#ring.capacity;
  }

  /** The position of the oldest request that is kept. It equals `next` if none is. */
  get first(): number {
    return this.#ring.first;
  }

  /** The position that the next request gets. */
  get next(): number {
    return this.#ring.next;
  }

  /** The mark that the next request gets. */
  get currentMark(): string | undefined {
    return this.#mark;
  }

  /** Keeps a request that has ended. `at` is in milliseconds since 1970. */
  observe(record: RequestRecord, at = this.#now()): void {
    if (record.bodies && !secretAnswers.has(record.operation)) this.#bodies.keep(this.#ring.next, record.bodies);
    this.#ring.push(record, at, this.#mark);
    this.#tell();
  }

  /** Keeps changes that were written. */
  observeCommit(transaction: CommittedTransaction): void {
    this.changes.push(transaction, this.#now(), this.#mark);
    this.#tell();
  }

  /** Names what comes next, such as a test. A name that is used again stands for the newest place. */
  mark(name: string): MarkedPlace {
    this.#mark = ownText(name.slice(0, markUnitsMax));
    const place = { next: this.#ring.next, seq: this.changes.next - 1 };
    this.#places.delete(this.#mark);
    this.#places.set(this.#mark, place.seq);
    const [oldest = ''] = this.#places.keys();
    if (this.#places.size > placesMax) this.#places.delete(oldest);
    return place;
  }

  /** Returns the position of the last change before a mark; undefined if the mark is not known, or not any more. */
  placeOf(mark: string): number | undefined {
    return this.#places.get(mark.slice(0, markUnitsMax));
  }

  /** Returns the request at a position, or undefined if it is not kept, or not any more. */
  read(seq: number): JournalEntry | undefined {
    const kept = this.#ring.read(seq);
    if (!kept) return undefined;
    const facts = this.#targets.read(kept);
    const { resource } = facts;
    return { ...kept, ...facts, table: resource && 'table' in resource ? resource.table : kept.table };
  }

  /** Returns the bodies of the request at a position; undefined if they are not kept. */
  readBodies(seq: number): BodyTexts | undefined {
    return seq >= this.first ? this.#bodies.read(seq) : undefined;
  }

  /** Returns the newest request with this `x-ms-request-id` or `x-ms-client-request-id`, if it is kept. */
  find(id: string): JournalEntry | undefined {
    return this.findAttempts(id).at(-1);
  }

  /** Returns all kept requests with such an ID, oldest first: a client that retries sends the same ID each time. */
  findAttempts(id: string): readonly JournalEntry[] {
    const found: JournalEntry[] = [];
    for (let seq = this.first; seq < this.next; seq++) {
      const kept = this.#ring.read(seq);
      const entry = kept?.requestId === id || kept?.clientRequestId === id ? this.read(seq) : undefined;
      if (entry) found.push(entry);
    }
    return found;
  }

  /** Returns the newest request that was rejected, if one is kept. */
  lastRejected(): JournalEntry | undefined {
    for (let seq = this.next - 1; seq >= this.first; seq--) {
      if (this.#ring.read(seq)?.explanation) return this.read(seq);
    }
    return undefined;
  }

  /** Whether the server stops, so that readers should not wait for more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Tells the listeners for the last time. Their streams end, which the stop of a server waits for. */
  close(): void {
    this.#isClosed = true;
    this.#tell();
  }

  /** How many functions are called after each request and each transaction. */
  get listeners(): number {
    return this.#listeners.size;
  }

  /** Calls a function after each request and each transaction. Returns a function that ends this. */
  listen(listener: JournalListener): () => void {
    const own: JournalListener = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  #tell(): void {
    if (this.#listeners.size > 0) for (const listener of this.#listeners) listener();
  }
}

/** What the target of a request tells. A field is absent if the target does not have it or cannot be read. */
interface TargetFacts {
  readonly resource?: Resource;
  /** The `$filter`, decoded. */
  readonly filter?: string;
  /** What the cloud does for the request: of a query by its filter, of a request for one entity a point. */
  readonly query?: JudgedQuery;
  /** The same for all queries that differ only in their values. */
  readonly shape?: string;
}

/** What the cloud does for a query, and the rule that its form breaks. */
interface JudgedQuery {
  readonly class: QueryClass;
  readonly fault?: QueryFault;
}

/** How many queries a reader remembers. (Our choice: a program has few forms of queries, and most repeat their values.) */
const rememberedMax = 256;

/** What the filter and the options of a query tell. */
interface ReadQuery {
  readonly query: JudgedQuery;
  readonly shape: string;
}

/** Reads the targets of requests. It remembers the last queries, because parsing one takes longer than a point read. */
class TargetReader {
  readonly #remembered = new BoundedMap<ReadQuery>(rememberedMax);
  readonly #costsOf: CostsOf;

  /** `costsOf` returns how the service of an account finds entities. */
  constructor(costsOf: CostsOf) {
    this.#costsOf = costsOf;
  }

  /** Returns what a target tells of a request. Nothing is thrown: a rejected target tells what could be read. */
  read({ target, host, isTls, account, operation }: KeptRequest): TargetFacts {
    if (account === undefined) return {};
    let found: TargetFacts = {};
    try {
      const scheme = isTls ? 'https' : 'http';
      const { resourcePath, query } = parseAddress({ url: target, host, scheme }, new Set([account]), {
        hasDefaultAccount: true,
      });
      const path = parseResource(resourcePath);
      const resource = path.kind === 'nested' ? readRepeatedTable(path) : path;
      if (!resource) return {};
      const filter = query.get('$filter');
      found = { resource, ...(filter !== undefined && { filter }) };
      if (pointOperations.has(operation)) return { ...found, query: { class: 'point' } };
      if (operation !== 'Query Entities' || resource.kind !== 'entities') return found;
      const { query: kind, shape } = this.readQuery(resource.table, query, account);
      return { ...found, query: kind, shape };
    } catch {
      return found;
    }
  }

  /** Returns what a query of a table costs in the cloud. Errors: those of `parseFilter`. */
  readQuery(table: string, options: Query, account: string | undefined): ReadQuery {
    const [filter = '', select, top] = [options.get('$filter'), options.get('$select'), options.get('$top')];
    const costs = this.#costsOf(account);
    const key = [account, table, filter, select, top].join('\n');
    return this.#remembered.use(key, () => {
      const rowsMax = top === undefined ? undefined : Number(top);
      const parsed = parseFilter(filter);
      const found = costs.classify(parsed);
      const fault = judgeQuery(found, rowsMax !== undefined);
      const shape = writeQueryShape(table, parsed, { select, rowsMax });
      return { query: { class: found.class, ...(fault && { fault }) }, shape };
    });
  }
}
