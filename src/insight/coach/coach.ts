import { BoundedMap } from '../../remembered.js';
import { mergeFindings, mergeUsages, stemOf } from './budget/same-findings.js';
import { type Finding, rankFindings } from './finding.js';
import { ConnectionSteps } from './habits/connection-steps.js';
import { TableHabits } from './habits/table-habits.js';
import { WrittenTables } from './habits/written-tables.js';
import { QueryShapes, type ShapeUsage } from './shapes/query-shapes.js';

/** What all requests together have cost. The cloud bills each request, also one that is rejected. */
export class Usage {
  requests = 0;
  /** Entities that were read, of which `returned` are in answers. */
  read = 0;
  returned = 0;

  clear(): void {
    this.requests = 0;
    this.read = 0;
    this.returned = 0;
  }
}

/** How many branches are known by their origins. (Our choice: more than the coach has tables and shapes to keep of them.) */
const branchesMax = 2048;

/** A request, as the journal has it. */
interface JudgedRequest {
  readonly account: string | undefined;
  /** The shape of its query. */
  readonly shape?: string;
  readonly requestId: string;
}

/**
 * Finds where a program works against the design of the service. It counts by the shape of queries, by table and in windows
 * of time, so its memory does not grow with the number of requests.
 */
export class Coach {
  readonly shapes = new QueryShapes();
  readonly habits = new TableHabits();
  readonly steps = new ConnectionSteps();
  readonly tables = new WrittenTables();
  readonly usage = new Usage();
  readonly #origins = new BoundedMap<string>(branchesMax);
  /** How many requests it was not told of, because there were too many. */
  skipped = 0;

  /**
   * Returns what was found since the start or the last `clear`, the worst first. `now` is in milliseconds since 1970, and
   * infinite if no more requests come: what a client would still have to do, it has then left out.
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

  /** Returns the findings that a request is part of: those about its query, and those that name it. */
  findingsOf({ account = '', shape = '', requestId }: JudgedRequest, now: number): readonly Finding[] {
    const asked = `${this.#originOf(account)} ${stemOf(shape)}`;
    return this.findings(now).filter(
      (one) =>
        `${one.account} ${stemOf(one.shape)}` === asked || [one.firstRequest, one.worstRequest].includes(requestId),
    );
  }

  /** Returns what the queries of each shape have cost, those with the most reads first. */
  usages(): readonly ShapeUsage[] {
    return [...mergeUsages(this.#ofOrigins(this.shapes.usages()))].sort((a, b) => b.read - a.read);
  }

  /** Notes the account that a branch was taken from. Its findings are those of that account, also after the branch has ended. */
  followAccount(branch: string, origin: string): void {
    this.#origins.use(branch, () => origin);
  }

  #ofOrigins<One extends { readonly account: string }>(all: readonly One[]): readonly One[] {
    return all.map((one) => ({ ...one, account: this.#originOf(one.account) }));
  }

  #originOf(account: string): string {
    return this.#origins.use(account, () => account);
  }

  /** Forgets everything. */
  clear(): void {
    for (const part of [this.shapes, this.habits, this.steps, this.tables, this.usage]) part.clear();
    this.skipped = 0;
  }
}
