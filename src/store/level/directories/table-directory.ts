import type { AccessPolicy } from '../../../protocol/access/access-policy.js';
import type { AccountServices } from '../../account-services.js';
import { compareOrdinal } from '../../copy/stored-parts.js';
import { filetimeOf } from '../../encoding/filetime.js';
import type { Table } from '../../store.js';
import type { Engine } from '../engine/engine.js';
import { decodeRecordKey, encodeTableKey } from '../engine/key-encoding.js';
import { areSame, type LayerList, type RowsUsers } from '../layers/rows-users.js';
import { readRecords } from './check-records.js';
import { type PendingChange, PendingValues } from './pending-values.js';

/** A table with what only this engine needs. */
export interface TableRecord extends Table {
  /** Part of the keys of its own rows. It is never reused, not even by a later table of the same name. */
  readonly id: string;
  /** The other part of these keys, if it is not the account of the table: the one from which its rows were restored. */
  readonly rowsAccount?: string;
  /** Its stored access policies. Absent: none. */
  readonly policies?: readonly AccessPolicy[];
  /** The order of its rows, which never changes. Absent: that of the keys. */
  readonly order?: 'insertion';
  /** Where further rows of the table are, nearest first: its own rows hide them. Absent: nowhere. */
  readonly layers?: readonly Layer[];
}

/**
 * Where rows are. What has more than one user among tables, snapshots and readers never changes, but for merging with a layer that all of
 * them have beside it.
 */
export interface Layer {
  /** The account and the id of the table that first had the rows. */
  readonly account: string;
  readonly id: string;
}

/** Returns where the rows of a table are, nearest first: its own rows, then those that they hide. */
export function layersOfTable(
  account: string,
  { id, rowsAccount = account, layers = [] }: TableRecord,
): [Layer, ...Layer[]] {
  return [{ account: rowsAccount, id }, ...layers];
}

/** Returns the record of a table with these layers. Its own rows are the nearest. */
export function withLayers(account: string, table: Omit<TableRecord, 'id'>, all: readonly Layer[]): TableRecord {
  const [own = { account, id: '' }, ...layers] = all;
  const { rowsAccount: _, layers: __, ...rest } = table;
  return {
    ...rest,
    id: own.id,
    ...(own.account !== account && { rowsAccount: own.account }),
    ...(layers.length > 0 && { layers }),
  };
}

/** Returns the record of a new table. Its id is made from `timestamp`, which no other table may have. */
export function newTable(name: string, timestamp: string, rowOrder: 'key' | 'insertion' = 'key'): TableRecord {
  const created = filetimeOf(timestamp).toString(16).padStart(16, '0');
  return { name, created, id: newTableId(timestamp), ...(rowOrder === 'insertion' && { order: rowOrder }) };
}

/** Returns an id for a table, made from a timestamp that no other table may have. */
export function newTableId(timestamp: string): string {
  return filetimeOf(timestamp).toString(36);
}

/** A table of an account, and the form in which its name is compared. */
export interface FoundTable {
  readonly account: string;
  readonly nameKey: string;
  readonly table: TableRecord;
}

/**
 * Keeps all tables of all accounts in memory, because every request needs one and there are few.
 *
 * Readers get the tables that are written. Writers use `findPending`, which also has those that will be written. The store
 * adds the records of `put` and `drop` to the commit queue before it awaits anything.
 */
export class TableDirectory {
  readonly #services: Pick<AccountServices, 'nameKey'>;
  readonly #accounts = new Map<string, Map<string, TableRecord>>();
  readonly #sorted = new Map<string, readonly TableRecord[]>();
  /** By the key of the table's record; undefined for a table that is being dropped. */
  readonly #pending = new PendingValues<TableRecord | undefined>();
  readonly #users: RowsUsers;

  /** `services` tells how the names of an account are compared. `users` counts the tables of each layer. */
  constructor(services: Pick<AccountServices, 'nameKey'>, users: RowsUsers) {
    this.#services = services;
    this.#users = users;
  }

  /** Reads all records from the engine. Errors: StoreError if one cannot be read. */
  async load(engine: Engine, location: string): Promise<void> {
    for (const [key, table] of await readRecords<TableRecord>(engine, 'table', location)) this.#set(key, table);
  }

  /** Returns the table of this name as it was last written. */
  find(account: string, name: string): TableRecord | undefined {
    return this.#accounts.get(account)?.get(this.#services.nameKey(account, name));
  }

  /** Returns the table of this name as it will be when all pending changes are written. */
  findPending(account: string, name: string): TableRecord | undefined {
    // Called by every write, when there is nearly always nothing pending.
    const pending = this.#pending.isEmpty ? undefined : this.#pending.get(this.#keyOf(account, name));
    return pending ? pending.value : this.find(account, name);
  }

  /** Returns the tables of an account in ordinal order of their names as they are compared, as the service lists them. */
  list(account: string): readonly TableRecord[] {
    const tables = this.#accounts.get(account);
    if (!tables) return [];
    let sorted = this.#sorted.get(account);
    if (!sorted) {
      const byName = [...tables].sort(([a], [b]) => (a < b ? -1 : 1));
      sorted = byName.map(([, table]) => table);
      this.#sorted.set(account, sorted);
    }
    return sorted;
  }

  /** Returns the tables of an account as they will be when all pending changes are written, in any order. */
  listPending(account: string): readonly TableRecord[] {
    return [...this.#pendingOf(account).values()];
  }

  /** Returns the tables of an account by the form in which their names are compared. */
  #pendingOf(account: string): ReadonlyMap<string, TableRecord> {
    const tables = new Map(this.#accounts.get(account));
    for (const [key, { value }] of this.#pending.entries()) {
      const { account: owner, rest: name } = decodeRecordKey(key);
      if (owner !== account) continue;
      if (value) tables.set(name, value);
      else tables.delete(name);
    }
    return tables;
  }

  /** Returns all tables of all accounts as they will be when all pending changes are written, in any order. */
  *allPending(): Generator<FoundTable> {
    const accounts = new Set(this.#accounts.keys());
    for (const [key] of this.#pending.entries()) accounts.add(decodeRecordKey(key).account);
    for (const account of accounts) {
      for (const [nameKey, table] of this.#pendingOf(account)) yield { account, nameKey, table };
    }
  }

  /** Returns all written tables of all accounts, by account and then as `list` does. */
  all(): readonly { readonly account: string; readonly table: TableRecord }[] {
    const accounts = [...this.#accounts.keys()].sort(compareOrdinal);
    return accounts.flatMap((account) => this.list(account).map((table) => ({ account, table })));
  }

  /** Returns a table as it will be when all pending changes are written. Its account need not have been opened. */
  findAgain({ account, nameKey }: Pick<FoundTable, 'account' | 'nameKey'>): FoundTable | undefined {
    const pending = this.#pending.get(encodeTableKey(account, nameKey));
    const table = pending ? pending.value : this.#accounts.get(account)?.get(nameKey);
    return table && { account, nameKey, table };
  }

  /** Creates or changes a table. */
  put(account: string, table: TableRecord): PendingChange {
    return this.change({ account, nameKey: this.#services.nameKey(account, table.name), table });
  }

  /** Changes a table whose account need not have been opened. */
  change({ account, nameKey, table }: FoundTable): PendingChange {
    const key = encodeTableKey(account, nameKey);
    return { records: [{ key, value: JSON.stringify(table) }], written: this.#change(key, table) };
  }

  /** Drops a table. Its rows stay. */
  drop(account: string, { name }: TableRecord): PendingChange {
    const key = this.#keyOf(account, name);
    return { records: [{ key, value: null }], written: this.#change(key, undefined) };
  }

  /** Removes all pending changes, after they could not be written. */
  clearPending(): void {
    this.#pending.clear();
  }

  #keyOf(account: string, name: string): string {
    return encodeTableKey(account, this.#services.nameKey(account, name));
  }

  #change(key: string, table: TableRecord | undefined): () => void {
    const { account, rest: name } = decodeRecordKey(key);
    const decided = this.#pending.isEmpty ? undefined : this.#pending.get(key);
    this.#count(account, decided ? decided.value : this.#accounts.get(account)?.get(name), table, (layers) =>
      this.#users.add(layers),
    );
    const settle = this.#pending.add(key, table);
    return () => {
      settle();
      const before = this.#set(key, table);
      this.#count(account, table, before, (layers) => this.#users.remove(layers));
    };
  }

  /** Counts the layers of a table, unless it has the same ones as another. */
  #count(
    account: string,
    other: TableRecord | undefined,
    table: TableRecord | undefined,
    count: (layers: LayerList) => void,
  ): void {
    if (!table) return;
    const layers = layersOfTable(account, table);
    if (!other || !areSame(layers, layersOfTable(account, other))) count(layers);
  }

  /** Returns the table that had its place before. */
  #set(key: string, table: TableRecord | undefined): TableRecord | undefined {
    const { account, rest: name } = decodeRecordKey(key);
    const tables = this.#accounts.get(account) ?? new Map<string, TableRecord>();
    this.#accounts.set(account, tables);
    const before = tables.get(name);
    if (table) tables.set(name, table);
    else tables.delete(name);
    this.#sorted.delete(account);
    // Branches come and go, each with a name of its own.
    if (tables.size === 0) this.#accounts.delete(account);
    return before;
  }
}
