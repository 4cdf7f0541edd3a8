import { lowerAscii } from '../protocol/names.js';
import type { TableHandle, TableStore } from '../store/store.js';
import type { OperationRules } from './operation-rules.js';

/**
 * The tables of one request. Keeps the last one, so that the access policy of a signature, the operation and all parts of a
 * transaction use the same handle.
 */
export class RequestTables {
  readonly #store: TableStore;
  readonly #account: string;
  readonly #fold: OperationRules['foldTableName'];
  #wrap: ((table: TableHandle) => TableHandle) | undefined;
  #last: { readonly name: string; readonly table: TableHandle } | undefined;

  /** `fold` returns the canonical form of a name; absent: that of storage accounts. */
  constructor(store: TableStore, account: string, fold: OperationRules['foldTableName'] = lowerAscii) {
    this.#store = store;
    this.#account = account;
    this.#fold = fold;
  }

  /** Returns the handle to a table, which may be missing. */
  open(name: string): TableHandle {
    const folded = this.#fold(name);
    if (this.#last?.name === folded) return this.#last.table;
    const opened = this.#store.openTable(this.#account, name);
    const table = this.#wrap ? this.#wrap(opened) : opened;
    this.#last = { name: folded, table };
    return table;
  }

  /** Wraps every later handle, and the last one. */
  wrapWith(wrap: (table: TableHandle) => TableHandle): void {
    this.#wrap = wrap;
    if (this.#last) this.#last = { name: this.#last.name, table: wrap(this.#last.table) };
  }
}
