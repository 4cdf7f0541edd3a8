import { lowerAscii } from '../protocol/names.js';
import type { TableHandle, TableStore } from '../store/store.js';

/**
 * The tables that one request uses. It keeps the last table, so that the access policy of a signature, the operation and all
 * parts of a transaction use the same handle.
 */
export class RequestTables {
  readonly #store: TableStore;
  readonly #account: string;
  readonly #source: object | undefined;
  #wrap: ((table: TableHandle) => TableHandle) | undefined;
  #last: { readonly name: string; readonly table: TableHandle } | undefined;

  /** `source` is whatever makes the request. The store passes it on to those that listen to its commits. */
  constructor(store: TableStore, account: string, source?: object) {
    this.#store = store;
    this.#account = account;
    this.#source = source;
  }

  /** Returns the handle to a table, which may be missing. Names are compared without regard to case. */
  open(name: string): TableHandle {
    const folded = lowerAscii(name);
    if (this.#last?.name === folded) return this.#last.table;
    const opened = this.#store.openTable(this.#account, name, this.#source);
    const table = this.#wrap ? this.#wrap(opened) : opened;
    this.#last = { name: folded, table };
    return table;
  }

  /** Puts something around every handle from now on, also around the last one, which stands for the same table as before. */
  wrapWith(wrap: (table: TableHandle) => TableHandle): void {
    this.#wrap = wrap;
    if (this.#last) this.#last = { name: this.#last.name, table: wrap(this.#last.table) };
  }
}
