import type { EntityKey, EntityText } from '../entity/entity.js';
import { keyOf } from '../entity/write-row.js';
import { pageBytesMax } from '../protocol/limits.js';
import type { QueryPlan } from '../query/plan.js';
import type { Page } from './store.js';

/** A page that takes rows until it is full. The bound in bytes keeps large rows from taking all memory. */
export class GrowingPage {
  /** How many rows were tested or taken so far. The reader of the rows counts. */
  examined = 0;
  readonly #rows: EntityText[] = [];
  readonly #rowsMax: number;
  readonly #bytesMax: number;
  #bytes = 0;
  #next: EntityKey | undefined;

  /** Begins an empty page with the bounds of a plan. */
  constructor({ rowsMax, bytesMax = pageBytesMax }: QueryPlan) {
    this.#rowsMax = rowsMax;
    this.#bytesMax = bytesMax;
  }

  /** How many rows are still wanted: those that fit, and one more that shows whether the query continues. */
  get rowsWanted(): number {
    return this.#rowsMax + 1 - this.#rows.length;
  }

  /** Adds a row. Returns false when the page is full; the next page then begins with this row. */
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
