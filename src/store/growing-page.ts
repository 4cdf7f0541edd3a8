import type { EntityText } from '../entity/entity.js';
import { keyOf } from '../entity/write-row.js';
import { pageBytesMax } from '../protocol/limits.js';
import type { Page } from './store.js';

/** A page that rows are added to until it is full: by their number or, lest it be all of the memory, by their size. */
export class GrowingPage {
  readonly rows: EntityText[] = [];
  readonly #rowsMax: number;
  #bytes = 0;

  constructor(rowsMax: number) {
    this.#rowsMax = rowsMax;
  }

  /** Adds a row; or gives the page, which goes on with this row, because it is full. */
  add(row: EntityText): Page | undefined {
    if (this.rows.length === this.#rowsMax || this.#bytes >= pageBytesMax) {
      const next = { partitionKey: keyOf(row, 'PartitionKey'), rowKey: keyOf(row, 'RowKey') };
      return { rows: this.rows, next };
    }
    this.rows.push(row);
    this.#bytes += row.length;
    return undefined;
  }
}
