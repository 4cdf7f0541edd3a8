import { type Finding, rankFindings } from './finding.js';
import { QueryShapes } from './query-shapes.js';
import { TableHabits } from './table-habits.js';

/**
 * Finds where a program works against the design of the service. It counts by the shape of queries and in windows of time,
 * so its memory does not grow with the number of requests.
 */
export class Coach {
  readonly shapes = new QueryShapes();
  readonly habits = new TableHabits();
  /** How many requests it was not told of, because there were too many. */
  skipped = 0;

  /** Returns what was found since the start or the last `clear`, the worst first. */
  findings(): readonly Finding[] {
    return rankFindings([...this.shapes.findings(), ...this.habits.findings()]);
  }

  /** Forgets everything. */
  clear(): void {
    this.shapes.clear();
    this.habits.clear();
    this.skipped = 0;
  }
}
