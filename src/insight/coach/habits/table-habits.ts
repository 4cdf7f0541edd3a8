import { lowerAscii } from '../../../protocol/names.js';
import { BoundedMap } from '../../../remembered.js';
import { thresholds } from '../../rules/thresholds.js';
import type { Finding } from '../finding.js';
import type { ObservedRejection, ObservedRequest } from '../observation.js';
import { countIn, type EventWindow, NotedFindings, newWindow } from './noted-findings.js';

/** How many tables are tracked. Recently used ones stay. (Our choice.) */
const followedMax = 256;

/** Writes to a table that name an ETag. */
interface Conditional {
  writes: number;
  failed: number;
  /** How many failed ones the finding includes. */
  noted: number;
}

/** Follows writes with an ETag, table creations, rejected filters, and requests without effect. */
export class TableHabits {
  readonly #conditional = new BoundedMap<Conditional>(followedMax);
  /** Rejected creations by table and mark. */
  readonly #creations = new BoundedMap<EventWindow>(followedMax);
  readonly #deletions = new BoundedMap<{ at: number }>(followedMax);
  readonly #noted = new NotedFindings();

  /** Counts a write that names an ETag. */
  writeConditional(request: ObservedRequest): void {
    const seen = this.#conditional.use(nameOf(request), () => ({ writes: 0, failed: 0, noted: 0 }));
    seen.writes++;
    if (request.status === 412) seen.failed++;
    const { contentionWrites, contentionShare } = thresholds;
    if (request.status === 412 && seen.writes >= contentionWrites && seen.failed / seen.writes >= contentionShare) {
      const calls = seen.failed - seen.noted;
      seen.noted = seen.failed;
      this.#noted.note({ name: 'contention', severity: 'warn', shape: 'writes with If-Match', calls }, request);
    }
  }

  /**
   * Counts a creation of an existing table. Each client may try once at its start, so each table has its own count. So has each
   * mark, because tests often create their tables in a set-up step.
   */
  rejectCreation(request: ObservedRequest): void {
    const seen = this.#creations.use(`${nameOf(request)}\n${request.mark ?? ''}`, newWindow);
    const { rejectedCreations, rejectedCreationsMs } = thresholds;
    if (countIn(seen, request.at, rejectedCreationsMs) !== rejectedCreations) return;
    this.#noted.note(
      { name: 'table-churn/create-again', severity: 'info', shape: 'Create Table', calls: rejectedCreations },
      request,
    );
  }

  /** Records the time of a deletion. */
  deleteTable(request: ObservedRequest): void {
    this.#deletions.use(nameOf(request), () => ({ at: 0 })).at = request.at;
  }

  /** Detects a table name reused shortly after its deletion. */
  createTable(request: ObservedRequest): void {
    const deleted = this.#deletions.use(nameOf(request), () => ({ at: Number.NEGATIVE_INFINITY }));
    if (request.at - deleted.at >= thresholds.nameReuseMs) return;
    this.#noted.note(
      { name: 'table-churn/name-reuse', severity: 'info', shape: 'Create Table after Delete Table', calls: 1 },
      request,
    );
  }

  /** Notes a query with an ignored option, which `note` names. */
  ignoreOption(request: ObservedRequest, note: string): void {
    this.#noted.note(
      { name: 'no-effect/option', severity: 'warn', shape: 'a query with an ignored option', calls: 1, note },
      request,
    );
  }

  /** Notes a transaction without operations. */
  storeNothing(request: ObservedRequest): void {
    this.#noted.note(
      { name: 'no-effect/transaction', severity: 'warn', shape: 'a transaction without an operation', calls: 1 },
      request,
    );
  }

  /** Notes a query with a rejected filter. */
  rejectFilter(request: ObservedRejection): void {
    const { cause, filter, explanation: note } = request;
    this.#noted.note(
      { name: 'rejected-filter', severity: 'warn', shape: cause, calls: 1, example: filter, note },
      request,
    );
  }

  findings(): readonly Finding[] {
    return this.#noted.findings();
  }

  clear(): void {
    for (const one of [this.#conditional, this.#creations, this.#deletions, this.#noted]) one.clear();
  }
}

function nameOf({ account, table }: ObservedRequest): string {
  return `${account}\n${lowerAscii(table)}`;
}
