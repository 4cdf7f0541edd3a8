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
    const table = this.#store.openTable(this.#account, name, this.#source);
    this.#last = { name: folded, table };
    return table;
  }
}
