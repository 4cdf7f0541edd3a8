import type { AccessPolicy } from '../../../protocol/access-policy.js';
import type { AccountServices } from '../../account-services.js';
import { compareOrdinal } from '../../copy/stored-parts.js';
import { filetimeOf } from '../../encoding/filetime.js';
import type { Table } from '../../store.js';
import type { Engine } from '../engine/engine.js';
import {
  decodeRecordKey,
  encodeDroppedKey,
  encodeTableKey,
  entityPrefix,
  kindRange,
  wholeTable,
} from '../engine/key-encoding.js';
import { type PendingChange, PendingValues } from './pending-values.js';

/** A table with what only this engine needs. */
export interface TableRecord extends Table {
  /** Part of the keys of its entities. It is never reused, not even by a later table of the same name. */
  readonly id: string;
  /** Its stored access policies. Absent: none. */
  readonly policies?: readonly AccessPolicy[];
  /** The order of its rows, which never changes. Absent: that of the keys. */
  readonly order?: 'insertion';
  /** Where further rows of the table are, nearest first: those of its own id hide them. Absent: nowhere. */
  readonly layers?: readonly Layer[];
}

/** Rows that never change again. Tables and snapshots may share them. */
export interface Layer {
  /** The account and the id of the table that the rows had when they could change. */
  readonly account: string;
  readonly id: string;
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
  /** The ids of the tables with layers that may have rows of their own. */
  readonly #touched = new Set<string>();

  /** `services` tells how the names of an account are compared. */
  constructor(services: Pick<AccountServices, 'nameKey'>) {
    this.#services = services;
  }

  /** Reads all records from the engine. Replaces what was in memory. */
  async load(engine: Engine): Promise<void> {
    const records = await engine.iterator(kindRange('table')).all();
    this.#pending.clear();
    this.#accounts.clear();
    this.#sorted.clear();
    for (const [key, value] of records) this.#set(key, JSON.parse(value) as TableRecord);
    this.#touched.clear();
    for (const { account, table } of this.allPending()) {
      if (table.layers && (await hasRows(engine, entityPrefix(account, table.id)))) this.touch(table);
    }
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
    const tables = new Map(this.#accounts.get(account));
    for (const [key, { value }] of this.#pending.entries()) {
      const { account: owner, rest: name } = decodeRecordKey(key);
      if (owner !== account) continue;
      if (value) tables.set(name, value);
      else tables.delete(name);
    }
    return [...tables.values()];
  }

  /** Returns all tables of all accounts as they will be when all pending changes are written, in any order. */
  *allPending(): Generator<{ readonly account: string; readonly table: TableRecord }> {
    const accounts = new Set(this.#accounts.keys());
    for (const [key] of this.#pending.entries()) accounts.add(decodeRecordKey(key).account);
    for (const account of accounts) for (const table of this.listPending(account)) yield { account, table };
  }

  /** Returns all written tables of all accounts, by account and then as `list` does. */
  all(): readonly { readonly account: string; readonly table: TableRecord }[] {
    const accounts = [...this.#accounts.keys()].sort(compareOrdinal);
    return accounts.flatMap((account) => this.list(account).map((table) => ({ account, table })));
  }

  /** Notes that a table with layers gets rows of its own. */
  touch({ id }: TableRecord): void {
    this.#touched.add(id);
  }

  /** Returns whether a table has the rows of its layers and no others. */
  isUntouched({ id, layers }: TableRecord): boolean {
    return layers !== undefined && !this.#touched.has(id);
  }

  /** Creates or changes a table. */
  put(account: string, table: TableRecord): PendingChange {
    const key = this.#keyOf(account, table.name);
    return { records: [{ key, value: JSON.stringify(table) }], written: this.#change(key, table) };
  }

  /** Drops a table. A record of kind `dropped` keeps its id until its entities are deleted. */
  drop(account: string, { name, id }: TableRecord): PendingChange {
    const key = this.#keyOf(account, name);
    const records = [
      { key, value: null },
      { key: encodeDroppedKey(account, id), value: '' },
    ];
    return { records, written: this.#change(key, undefined) };
  }

  /** Removes all pending changes, after they could not be written. */
  clearPending(): void {
    this.#pending.clear();
  }

  #keyOf(account: string, name: string): string {
    return encodeTableKey(account, this.#services.nameKey(account, name));
  }

  #change(key: string, table: TableRecord | undefined): () => void {
    const settle = this.#pending.add(key, table);
    return () => {
      settle();
      this.#set(key, table);
    };
  }

  #set(key: string, table: TableRecord | undefined): void {
    const { account, rest: name } = decodeRecordKey(key);
    const tables = this.#accounts.get(account) ?? new Map<string, TableRecord>();
    this.#accounts.set(account, tables);
    const before = tables.get(name);
    if (before && before.id !== table?.id) this.#touched.delete(before.id);
    if (table) tables.set(name, table);
    else tables.delete(name);
    this.#sorted.delete(account);
    // Branches come and go, each with a name of its own.
    if (tables.size === 0) this.#accounts.delete(account);
  }
}

async function hasRows(engine: Engine, prefix: string): Promise<boolean> {
  return (await engine.keys({ ...wholeTable(prefix), limit: 1 }).all()).length > 0;
}
