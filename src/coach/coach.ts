import { lowerAscii } from '../protocol/names.js';
import { ConnectionSteps } from './connection-steps.js';
import { type Finding, rankFindings } from './finding.js';
import { QueryShapes } from './query-shapes.js';
import { Retries } from './retries.js';
import { TableHabits } from './table-habits.js';
import { Usage } from './usage.js';
import { WrittenTables } from './written-tables.js';

/**
 * Finds where a program works against the design of the service. It counts by the shape of queries, by table and in windows
 * of time, so its memory does not grow with the number of requests.
 */
export class Coach {
  readonly shapes = new QueryShapes();
  readonly habits = new TableHabits();
  readonly steps = new ConnectionSteps();
  readonly tables = new WrittenTables();
  readonly retries = new Retries();
  readonly usage = new Usage();
  /** How many requests it was not told of, because there were too many. */
  skipped = 0;

  /**
   * Returns what was found since the start or the last `clear`, the worst first. `now` is in milliseconds since 1970, and
   * infinite if no more requests come: what a client would still have to do, it has then left out.
   */
  findings(now: number): readonly Finding[] {
    const hasSeries = (table: string) => this.tables.hasSeries(lowerAscii(table));
    return rankFindings([
      ...this.shapes.findings({ now, hasSeries }),
      ...this.habits.findings(),
      ...this.steps.findings(),
      ...this.tables.findings(this.shapes.reads()),
      ...this.retries.findings(),
    ]);
  }

  /** Forgets everything. */
  clear(): void {
    for (const part of [this.shapes, this.habits, this.steps, this.tables, this.retries, this.usage]) part.clear();
    this.skipped = 0;
  }
}
