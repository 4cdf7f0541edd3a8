import type { EntityKey, EntityText } from '../entity/stored/entity.js';
import { keyOf } from '../entity/stored/write-row.js';
import { pageBytesMax } from '../protocol/limits.js';
import type { QueryPlan } from '../query/plan/plan.js';
import type { Page } from './store.js';

/** Collects the rows of a page until it is full. A limit in bytes keeps large rows from filling the memory. */
export class GrowingPage {
  /** Number of tested or added rows. A caller of `add` must count its own. */
  examined = 0;
  readonly #rows: EntityText[] = [];
  readonly #rowsMax: number;
  readonly #bytesMax: number;
  #bytes = 0;
  #next: EntityKey | undefined;

  constructor({ rowsMax, bytesMax = pageBytesMax }: QueryPlan) {
    this.#rowsMax = rowsMax;
    this.#bytesMax = bytesMax;
  }

  /** Number of rows that the page still needs: those that fit, plus one to tell whether the query continues. */
  get rowsWanted(): number {
    return this.#rowsMax + 1 - this.#rows.length;
  }

  /**
   * Adds the matching rows from position `from` up to, not including, `end`. `matches` takes a position; by default, every row
   * matches. Returns the position after the last row that fits: `end` unless the page is full.
   */
  addRows(rows: readonly EntityText[], from: number, end: number, matches?: (row: number) => boolean): number {
    for (let row = from; row < end; row++) {
      if (matches && !matches(row)) continue;
      if (this.add(rows[row] ?? '')) continue;
      this.examined += row - from;
      return row;
    }
    this.examined += end - from;
    return end;
  }

  /** Adds a row. Returns false if the page is full; the next page then begins with this row. */
  add(row: EntityText): boolean {
    if (this.#rows.length === this.#rowsMax || this.#bytes >= this.#bytesMax) {
      this.#next = { partitionKey: keyOf(row, 'PartitionKey'), rowKey: keyOf(row, 'RowKey') };
      return false;
    }
    this.#rows.push(row);
    this.#bytes += row.length;
    return true;
  }

  /** Returns the rows so far and, if the page is full, the key of the next row. */
  finish(): Page {
    const { examined } = this;
    return this.#next ? { rows: this.#rows, next: this.#next, examined } : { rows: this.#rows, examined };
  }
}
