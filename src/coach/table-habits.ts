import { lowerAscii } from '../protocol/names.js';
import { BoundedMap } from './bounded-map.js';
import { type Finding, findingOf } from './finding.js';
import type { ObservedRefusal, ObservedRequest } from './observation.js';
import type { RuleId, Severity } from './rules.js';
import { thresholds } from './thresholds.js';

/** How many entities, tables and filters are followed. Ours: what is seen most is used most, and stays. */
const followedMax = 256;

/** A number of events within a window of time that begins with the first of them. */
interface Window {
  since: number;
  count: number;
}

/** The writes to a table that name an ETag. */
interface Conditional {
  writes: number;
  failed: number;
}

/** What is found of single operations: reads of one entity, writes with an ETag, creations of tables. */
export class TableHabits {
  readonly #points = new BoundedMap<Window>(followedMax);
  readonly #conditional = new BoundedMap<Conditional>(followedMax);
  #creations = newWindow();
  readonly #found = new BoundedMap<{ readonly finding: Finding; calls: number }>(followedMax);

  /** Counts a read of one entity by its keys. */
  readPoint(request: ObservedRequest, partitionKey: string, rowKey: string): void {
    const window = this.#points.use(`${request.table}\n${partitionKey}\n${rowKey}`, newWindow);
    const { samePointMs, samePointReads } = thresholds;
    if (countIn(window, request.at, samePointMs) === samePointReads) {
      this.#note(
        'R25',
        'info',
        request,
        `Get Entity (PartitionKey='${partitionKey}',RowKey='${rowKey}')`,
        samePointReads,
      );
    }
  }

  /** Counts a write that names an ETag. */
  writeConditional(request: ObservedRequest): void {
    const seen = this.#conditional.use(lowerAscii(request.table), () => ({ writes: 0, failed: 0 }));
    seen.writes++;
    if (request.status === 412) seen.failed++;
    const { contentionWrites, contentionShare } = thresholds;
    if (request.status === 412 && seen.writes >= contentionWrites && seen.failed / seen.writes >= contentionShare) {
      this.#note('R18', 'warn', request, 'writes with If-Match', seen.failed);
    }
  }

  /** Counts a table that could not be created because it exists. Its name is in the body, which is not kept. */
  refuseCreation(request: ObservedRequest): void {
    const { refusedCreations, refusedCreationsMs } = thresholds;
    if (countIn(this.#creations, request.at, refusedCreationsMs) !== refusedCreations) return;
    this.#note('R26', 'warn', request, 'Create Table', refusedCreations);
  }

  /** Notes a query that was refused for a form that the service does not have. */
  refuseFilter(request: ObservedRefusal): void {
    this.#note('R6', 'warn', request, request.cause, 1, request.filter);
  }

  findings(): readonly Finding[] {
    return this.#found.values().map(({ finding, calls }) => ({ ...finding, calls }));
  }

  clear(): void {
    for (const one of [this.#points, this.#conditional, this.#found]) one.clear();
    this.#creations = newWindow();
  }

  #note(
    rule: RuleId,
    severity: Severity,
    request: ObservedRequest,
    shape: string,
    calls: number,
    example?: string,
  ): void {
    const { table, requestId, mark } = request;
    const seen = this.#found.use(`${rule}\n${table}\n${shape}`, () => ({
      calls: 0,
      finding: findingOf(rule, severity, {
        ...{ table, shape, calls, read: 0, returned: 0, firstRequest: requestId, worstRequest: requestId },
        marks: mark === undefined ? [] : [mark],
        ...(example !== undefined && { example: example.slice(0, 300) }),
      }),
    }));
    seen.calls = rule === 'R18' ? calls : seen.calls + calls;
  }
}

function newWindow(): Window {
  return { since: Number.NEGATIVE_INFINITY, count: 0 };
}

/** Counts an event. Returns how many the window has. */
function countIn(window: Window, at: number, lengthMs: number): number {
  if (at - window.since >= lengthMs) {
    window.since = at;
    window.count = 0;
  }
  return ++window.count;
}
