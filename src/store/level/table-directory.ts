import type { AccessPolicy } from '../../protocol/access-policy.js';
import { lowerAscii } from '../../protocol/names.js';
import type { Table } from '../store.js';
import type { Engine } from './engine.js';
import { decodeRecordKey, encodeDroppedKey, encodeTableKey, kindRange } from './key-encoding.js';
import { type PendingChange, PendingValues } from './pending-values.js';

/** A table as the store keeps it. */
export interface TableRecord extends Table {
  /** What its entities' keys begin with, after the account. Never used again, even by a table of the same name. */
  readonly id: string;
  /** Its stored access policies; absent when it has none. */
  readonly policies?: readonly AccessPolicy[];
}

/** A table that begins at this instant, which no other does: its id is made of it. */
export function newTable(name: string, timestamp: string): TableRecord {
  const [whole = '', fraction = ''] = timestamp.slice(0, -1).split('.');
  // FILETIME, which table tokens carry: 100 ns ticks since 1601.
  const ticks = (BigInt(Date.parse(`${whole}Z`)) + 11_644_473_600_000n) * 10_000n + BigInt(fraction.padEnd(7, '0'));
  return { name, created: ticks.toString(16).padStart(16, '0'), id: ticks.toString(36) };
}

/**
 * All tables of all accounts, in memory: every request asks for one, and there are few.
 *
 * Readers get what is written to the engine. Writes are judged on what will be written (`findPending`). The store calls
 * `put` and `drop` in the same step in which it adds their records to the commit queue.
 */
export class TableDirectory {
  readonly #accounts = new Map<string, Map<string, TableRecord>>();
  readonly #sorted = new Map<string, readonly TableRecord[]>();
  /** By the key of the table's record; undefined for a table that is being dropped. */
  readonly #pending = new PendingValues<TableRecord | undefined>();

  /** Reads all records again. */
  async load(engine: Engine): Promise<void> {
    const records = await engine.iterator(kindRange('table')).all();
    this.#pending.clear();
    this.#accounts.clear();
    this.#sorted.clear();
    for (const [key, value] of records) this.#set(key, JSON.parse(value) as TableRecord);
  }

  /** Returns the table of this name, as it is written. */
  find(account: string, name: string): TableRecord | undefined {
    return this.#accounts.get(account)?.get(lowerAscii(name));
  }

  /** Returns the table of this name as it will be when everything that waits is written. */
  findPending(account: string, name: string): TableRecord | undefined {
    // Nearly always empty, and asked with every write.
    const pending = this.#pending.isEmpty ? undefined : this.#pending.get(encodeTableKey(account, name));
    return pending ? pending.value : this.find(account, name);
  }

  /** Returns the tables of an account by lower-cased name, ordinal: the order of every recorded list. */
  list(account: string): readonly TableRecord[] {
    let sorted = this.#sorted.get(account);
    if (!sorted) {
      const byName = [...(this.#accounts.get(account) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
      sorted = byName.map(([, table]) => table);
      this.#sorted.set(account, sorted);
    }
    return sorted;
  }

  /** Returns the tables of an account as they will be when everything that waits is written, in any order. */
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

  /** Makes a table or changes it. */
  put(account: string, table: TableRecord): PendingChange {
    const key = encodeTableKey(account, table.name);
    return { records: [{ key, value: JSON.stringify(table) }], written: this.#change(key, table) };
  }

  /** Drops a table, and notes that its entities are still to be swept away. */
  drop(account: string, { name, id }: TableRecord): PendingChange {
    const key = encodeTableKey(account, name);
    const records = [
      { key, value: null },
      { key: encodeDroppedKey(account, id), value: '' },
    ];
    return { records, written: this.#change(key, undefined) };
  }

  /** Drops all changes that wait: they could not be written. */
  forgetPending(): void {
    this.#pending.clear();
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
    if (table) tables.set(name, table);
    else tables.delete(name);
    this.#sorted.delete(account);
  }
}
