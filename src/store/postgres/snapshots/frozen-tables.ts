import type { FrozenTables } from '../../snapshots.js';
import type { Eventual, Table, TableHandle, TableStore } from '../../store.js';

/** Tables as they were at one moment: a copy under an account that no client can reach. */
export class PostgresFrozenTables implements FrozenTables {
  /** The account of the copy. */
  readonly account: string;
  readonly #store: Pick<TableStore, 'openTable' | 'listTables'>;
  readonly #end: () => Promise<unknown>;

  constructor(
    { store }: { readonly store: Pick<TableStore, 'openTable' | 'listTables'> },
    account: string,
    end: () => Promise<unknown>,
  ) {
    this.#store = store;
    this.account = account;
    this.#end = end;
  }

  list(): Eventual<readonly Table[]> {
    return this.#store.listTables(this.account);
  }

  open(name: string): TableHandle {
    return this.#store.openTable(this.account, name);
  }

  async release(): Promise<void> {
    await this.#end();
  }
}
