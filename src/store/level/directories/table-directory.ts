import type { AccessPolicy } from '../../../protocol/access/access-policy.js';
import { ownText } from '../../../remembered.js';
import type { AccountServices } from '../../account-services.js';
import type { Table } from '../../store.js';
import type { Engine } from '../engine/engine.js';
import { decodeRecordKey, encodeTableKey } from '../engine/key-encoding.js';
import type { RowsUsers } from '../layers/rows-users.js';
import { filetimeOf } from '../order/ordinal-encoding.js';
import { readRecords } from './check-records.js';
import { type PendingChange, RecordDirectory } from './record-directory.js';

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
 * A place of rows. One that several tables, snapshots or readers use never changes, except by a merge with a layer that all of
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
  return {
    name: ownText(name),
    created,
    id: newTableId(timestamp),
    ...(rowOrder === 'insertion' && { order: rowOrder }),
  };
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
 * Readers get the tables that are written. Writers use `findPending`, which also has those that will be written.
 */
export class TableDirectory {
  readonly #services: Pick<AccountServices, 'nameKey'>;
  readonly #users: RowsUsers;
  /** By account. Their names are in the form in which they are compared. */
  readonly #accounts = new Map<string, RecordDirectory<TableRecord>>();

  /** `services` tells how the names of an account are compared. `users` counts the tables of each layer. */
  constructor(services: Pick<AccountServices, 'nameKey'>, users: RowsUsers) {
    this.#services = services;
    this.#users = users;
  }

  /** Reads all records from the engine. Errors: StoreError if one cannot be read. */
  async load(engine: Engine, location: string): Promise<void> {
    for (const [key, table] of await readRecords<TableRecord>(engine, 'table', location)) {
      const { account, rest } = decodeRecordKey(key);
      this.#of(account).add(rest, table);
    }
  }

  /** Returns the table of this name as it was last written. */
  find(account: string, name: string): TableRecord | undefined {
    return this.#accounts.get(account)?.find(this.#services.nameKey(account, name));
  }

  /** Returns the table of this name as it will be when all pending changes are written. */
  findPending(account: string, name: string): TableRecord | undefined {
    return this.#accounts.get(account)?.findPending(this.#services.nameKey(account, name));
  }

  /** Returns the tables of an account in ordinal order of their names as they are compared, as the service lists them. */
  list(account: string): readonly TableRecord[] {
    return this.#accounts.get(account)?.list() ?? [];
  }

  /** Returns the tables of an account as they will be when all pending changes are written, in any order. */
  listPending(account: string): readonly TableRecord[] {
    return (this.#accounts.get(account)?.allPending() ?? []).map(([, table]) => table);
  }

  /** Returns all tables of all accounts as they will be when all pending changes are written, in any order. */
  *allPending(): Generator<FoundTable> {
    for (const [account, tables] of this.#accounts) {
      for (const [nameKey, table] of tables.allPending()) yield { account, nameKey, table };
    }
  }

  /** Returns a table as it will be when all pending changes are written. Its account need not have been opened. */
  findAgain({ account, nameKey }: Pick<FoundTable, 'account' | 'nameKey'>): FoundTable | undefined {
    const table = this.#accounts.get(account)?.findPending(nameKey);
    return table && { account, nameKey, table };
  }

  put(account: string, table: TableRecord): PendingChange {
    return this.change({ account, nameKey: this.#services.nameKey(account, table.name), table });
  }

  /** Changes a table whose account need not have been opened. */
  change({ account, nameKey, table }: FoundTable): PendingChange {
    const tables = this.#of(account);
    const { records, written } = tables.put(nameKey, table);
    return {
      records,
      written: () => {
        written();
        // The account may have been forgotten: a failure takes back what is pending, and not a commit that is on its way.
        this.#accounts.set(account, tables);
      },
    };
  }

  /** Drops a table. Its rows stay. */
  drop(account: string, { name }: TableRecord): PendingChange {
    const { records, written } = this.#of(account).remove(this.#services.nameKey(account, name));
    return {
      records,
      written: () => {
        written();
        this.#forgetIfEmpty(account);
      },
    };
  }

  /** Removes all pending changes, after they could not be written. */
  clearPending(): void {
    for (const [account, tables] of this.#accounts) {
      tables.clearPending();
      this.#forgetIfEmpty(account);
    }
  }

  #of(account: string): RecordDirectory<TableRecord> {
    const of = (table: TableRecord) => [layersOfTable(account, table)];
    const known = this.#accounts.get(account);
    const tables = known ?? new RecordDirectory('table', { of, users: this.#users }, encodeTableKey(account, ''));
    this.#accounts.set(account, tables);
    return tables;
  }

  /** Branches come and go, each with an account of its own. */
  #forgetIfEmpty(account: string): void {
    if (this.#accounts.get(account)?.isEmpty) this.#accounts.delete(account);
  }
}
