import type { Change } from '../../entity/stored/change.js';
import { entityBytes } from '../../entity/stored/entity-size.js';
import type { TransferItem } from './transfer-item.js';

/** Number of entities in one transaction, and their size. Ours: other writes wait little. Unit: bytes. */
const groupMax = { rows: 500, bytes: 4 * 1024 * 1024 } as const;

/** A row with the change that it asks for. */
export interface PreparedRow {
  readonly item: Extract<TransferItem, { readonly kind: 'entity' }>;
  readonly change: Exclude<Change, { readonly kind: 'delete' }>;
}

/** The rows of one transaction: few, small, and each of another entity. */
export class RowGroup {
  #rows: PreparedRow[] = [];
  #keys = new Set<string>();
  #bytes = 0;

  /** Adds a row. Returns false if it has to wait for the next transaction. */
  add(row: PreparedRow): boolean {
    const { key, properties } = row.change;
    // What a row has beside its entity is kept, too.
    const bytes = Math.max(entityBytes(key, properties), row.item.units);
    const text = `${key.partitionKey}\0${key.rowKey}`;
    const isFull =
      this.#rows.length === groupMax.rows || (this.#rows.length > 0 && this.#bytes + bytes > groupMax.bytes);
    if (isFull || this.#keys.has(text)) return false;
    this.#rows.push(row);
    this.#keys.add(text);
    this.#bytes += bytes;
    return true;
  }

  /** Returns the rows, and begins the next transaction. */
  takeAll(): readonly PreparedRow[] {
    const rows = this.#rows;
    this.#rows = [];
    // Not cleared: a table that V8 cleared refers to the next one, so it would keep the keys of all groups until the old generation is collected.
    this.#keys = new Set();
    this.#bytes = 0;
    return rows;
  }
}
