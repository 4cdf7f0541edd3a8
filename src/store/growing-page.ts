import type { EntityKey, EntityText } from '../entity/entity.js';
import { keyOf } from '../entity/write-row.js';
import { pageBytesMax } from '../protocol/limits.js';
import type { Page } from './store.js';

/** A page that takes rows until it is full. It is limited in rows, and in bytes so that it does not take all memory. */
export class GrowingPage {
  readonly #rows: EntityText[] = [];
  readonly #rowsMax: number;
  #bytes = 0;
  #next: EntityKey | undefined;

  constructor(rowsMax: number) {
    this.#rowsMax = rowsMax;
  }

  /** How many rows are still to be looked for: those that fit, and one more, which tells that the walk goes on. */
  get rowsWanted(): number {
    return this.#rowsMax + 1 - this.#rows.length;
  }

  /** Adds a row. Returns false when the page is full: the walk then goes on with this row. */
  add(row: EntityText): boolean {
    if (this.#rows.length === this.#rowsMax || this.#bytes >= pageBytesMax) {
      this.#next = { partitionKey: keyOf(row, 'PartitionKey'), rowKey: keyOf(row, 'RowKey') };
      return false;
    }
    this.#rows.push(row);
    this.#bytes += row.length;
    return true;
  }

  /** Returns the rows so far and, if the page is full, where the walk goes on. */
  finish(): Page {
    return this.#next ? { rows: this.#rows, next: this.#next } : { rows: this.#rows };
  }
}
