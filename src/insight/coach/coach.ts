import { BoundedMap } from '../../remembered.js';
import { mergeFindings, mergeUsages, stemOf } from './budget/same-findings.js';
import { type Finding, rankFindings } from './finding.js';
import { ConnectionSteps } from './habits/connection-steps.js';
import { TableHabits } from './habits/table-habits.js';
import { WrittenTables } from './habits/written-tables.js';
import { findMismatch, QueryShapes, type ShapeUsage } from './shapes/query-shapes.js';

/** The total cost of all requests. The cloud bills rejected requests, too. */
export class Usage {
  requests = 0;
  /** Entities read, of which `returned` are in answers. */
  read = 0;
  returned = 0;

  clear(): void {
    this.requests = 0;
    this.read = 0;
    this.returned = 0;
  }
}

/** How many accounts have a known origin. (Our choice: more than the tables and shapes that the coach retains.) */
const branchesMax = 2048;

interface JudgedRequest {
  readonly account: string | undefined;
  /** The shape of its query. */
  readonly shape?: string;
  readonly requestId: string;
  readonly table?: string | undefined;
  /** The `$filter`, decoded. */
  readonly filter?: string | undefined;
}

/**
 * Finds requests that are slow or costly in the cloud. It counts by query shape, by table and in time windows, so its memory does
 * not grow with the number of requests.
 */
export class Coach {
  readonly shapes = new QueryShapes();
  readonly habits = new TableHabits();
  readonly steps = new ConnectionSteps();
  readonly tables = new WrittenTables();
  readonly usage = new Usage();
  readonly #origins = new BoundedMap<string>(branchesMax);
  /** How many requests it did not observe, because there were too many. */
  skipped = 0;

  /**
   * Returns the findings since the start or the last `clear`, the worst first. `now` is in milliseconds since 1970; infinite if no
   * more requests come, so that every unused token counts as ignored.
   */
  findings(now: number): readonly Finding[] {
    const typesIn = (account: string, table: string) => this.tables.typesIn(account, table);
    const findings = rankFindings([
      ...this.shapes.findings({ now, typesIn }),
      ...this.habits.findings(),
      ...this.steps.findings(),
      ...this.tables.findings(),
    ]);
    return rankFindings(mergeFindings(this.#ofOrigins(findings)));
  }

  /** Returns the findings about the queries of some requests, and those that name one of the requests. */
  findingsOf(requests: readonly JudgedRequest[], now: number): readonly Finding[] {
    const ids = new Set(requests.map(({ requestId }) => requestId));
    const own = new Set(requests.map(({ account = '', shape = '' }) => `${this.#originOf(account)} ${stemOf(shape)}`));
    return this.findings(now).filter(
      ({ account, shape, firstRequest, worstRequest }) =>
        own.has(`${account} ${stemOf(shape)}`) || ids.has(firstRequest) || ids.has(worstRequest),
    );
  }

  /** Returns why a query without results can have none: a sentence about a constant of another type than the stored values. */
  mismatchIn({ account = '', table = '', filter = '' }: JudgedRequest): string | undefined {
    return findMismatch(filter, this.tables.typesIn(account, table));
  }

  /** Returns the cost of each shape, those with the most reads first. */
  usages(): readonly ShapeUsage[] {
    return [...mergeUsages(this.#ofOrigins(this.shapes.usages()))].sort((a, b) => b.read - a.read);
  }

  /** Records the origin of a branch. Its findings count for the origin, even after the branch has ended. */
  followAccount(branch: string, origin: string): void {
    this.#origins.use(branch, () => origin);
  }

  #ofOrigins<One extends { readonly account: string }>(all: readonly One[]): readonly One[] {
    return all.map((one) => ({ ...one, account: this.#originOf(one.account) }));
  }

  #originOf(account: string): string {
    return this.#origins.use(account, () => account);
  }

  clear(): void {
    for (const part of [this.shapes, this.habits, this.steps, this.tables, this.usage]) part.clear();
    this.skipped = 0;
  }
}
