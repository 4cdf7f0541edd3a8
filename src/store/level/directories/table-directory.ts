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

/** A table, with the fields of this engine. */
export interface TableRecord extends Table {
  /** Part of the keys of its own rows. Never reused, not even by a later table of the same name. */
  readonly id: string;
  /** The account in these keys, if it is not that of the table: its rows were restored from there. */
  readonly rowsAccount?: string;
  readonly policies?: readonly AccessPolicy[];
  /** The order of its rows, which never changes. Absent: key order. */
  readonly order?: 'insertion';
  /** The layers below its own rows, which hide theirs; nearest first. Absent: none. */
  readonly layers?: readonly Layer[];
}

/** A location of rows. A shared layer never changes, except by a merge with a layer that all its users have next to it. */
export interface Layer {
  /** The account and the id of the table that first held the rows. */
  readonly account: string;
  readonly id: string;
}

/** Returns the layers of a table, nearest first: its own rows, then those below. */
export function layersOfTable(
  account: string,
  { id, rowsAccount = account, layers = [] }: TableRecord,
): [Layer, ...Layer[]] {
  return [{ account: rowsAccount, id }, ...layers];
}

/** Returns the record of a table with these layers. The nearest becomes its own rows. */
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

/** Returns the record of a new table. Its id comes from `timestamp`, which must be unique among tables. */
export function newTable(name: string, timestamp: string, rowOrder: 'key' | 'insertion' = 'key'): TableRecord {
  const created = filetimeOf(timestamp).toString(16).padStart(16, '0');
  return {
    name: ownText(name),
    created,
    id: newTableId(timestamp),
    ...(rowOrder === 'insertion' && { order: rowOrder }),
  };
}

/** Returns a table id for a timestamp, which must be unique among tables. */
export function newTableId(timestamp: string): string {
  return filetimeOf(timestamp).toString(36);
}

/** A table of an account, and its name in the form for comparisons. */
export interface TableEntry {
  readonly account: string;
  readonly nameKey: string;
  readonly table: TableRecord;
}

/**
 * Keeps all tables of all accounts in memory, because every request needs one and there are few.
 *
 * Readers get written tables. Writers use `findPending`, which includes pending changes.
 */
export class TableDirectory {
  readonly #services: Pick<AccountServices, 'nameKey'>;
  readonly #users: RowsUsers;
  /** By account. Table names are in the form for comparisons. */
  readonly #accounts = new Map<string, RecordDirectory<TableRecord>>();

  /** `services` knows how an account compares names. `users` counts the tables of each layer. */
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

  /** Returns the written table of this name. */
  find(account: string, name: string): TableRecord | undefined {
    return this.#accounts.get(account)?.find(this.#services.nameKey(account, name));
  }

  /** Returns the table of this name as of all pending changes. */
  findPending(account: string, name: string): TableRecord | undefined {
    return this.#accounts.get(account)?.findPending(this.#services.nameKey(account, name));
  }

  /** Returns the tables of an account in the service's order: the ordinal order of the names in the form for comparisons. */
  list(account: string): readonly TableRecord[] {
    return this.#accounts.get(account)?.list() ?? [];
  }

  /** Returns the tables of an account as of all pending changes, in any order. */
  listPending(account: string): readonly TableRecord[] {
    return (this.#accounts.get(account)?.allPending() ?? []).map(([, table]) => table);
  }

  /** Returns the tables of all accounts as of all pending changes, in any order. */
  *allPending(): Generator<TableEntry> {
    for (const [account, tables] of this.#accounts) {
      for (const [nameKey, table] of tables.allPending()) yield { account, nameKey, table };
    }
  }

  /** Returns a table as of all pending changes. Its account need not be open. */
  findAgain({ account, nameKey }: Pick<TableEntry, 'account' | 'nameKey'>): TableEntry | undefined {
    const table = this.#accounts.get(account)?.findPending(nameKey);
    return table && { account, nameKey, table };
  }

  put(account: string, table: TableRecord): PendingChange {
    return this.change({ account, nameKey: this.#services.nameKey(account, table.name), table });
  }

  /** Changes a table. Its account need not be open. */
  change({ account, nameKey, table }: TableEntry): PendingChange {
    const tables = this.#of(account);
    const { records, written } = tables.put(nameKey, table);
    return {
      records,
      written: () => {
        written();
        // A failure may have forgotten the account: it discards pending changes, but not a commit in flight.
        this.#accounts.set(account, tables);
      },
    };
  }

  /** Drops a table, but not its rows. */
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

  /** Discards all pending changes, after a failed write. */
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
