import type { AccessPolicy } from '../protocol/access-policy.js';
import type { Engine } from './commit-queue.js';
import { decodeRecordKey, kindRange } from './key-encoding.js';
import type { Table } from './store.js';

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
 * It mirrors the engine's records; the store changes both together.
 */
export class TableDirectory {
  readonly #accounts = new Map<string, Map<string, TableRecord>>();
  readonly #sorted = new Map<string, readonly TableRecord[]>();

  /** Reads all records anew. */
  async load(engine: Engine): Promise<void> {
    const makeCurrent = await this.read(engine);
    makeCurrent();
  }

  /** Reads all records and gives what replaces the present ones by them, for a caller who knows when. */
  async read(engine: Engine): Promise<() => void> {
    const records = await engine.iterator(kindRange('table')).all();
    return () => {
      this.#accounts.clear();
      this.#sorted.clear();
      for (const [key, value] of records) {
        const { account, rest } = decodeRecordKey(key);
        this.#tables(account).set(rest, JSON.parse(value) as TableRecord);
      }
    };
  }

  find(account: string, name: string): TableRecord | undefined {
    return this.#accounts.get(account)?.get(name.toLowerCase());
  }

  /** By lower-cased name, ordinal: the order of every recorded list. */
  list(account: string): readonly TableRecord[] {
    let sorted = this.#sorted.get(account);
    if (!sorted) {
      const byName = [...(this.#accounts.get(account) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
      sorted = byName.map(([, table]) => table);
      this.#sorted.set(account, sorted);
    }
    return sorted;
  }

  put(account: string, table: TableRecord): void {
    this.#tables(account).set(table.name.toLowerCase(), table);
    this.#sorted.delete(account);
  }

  delete(account: string, name: string): void {
    this.#tables(account).delete(name.toLowerCase());
    this.#sorted.delete(account);
  }

  #tables(account: string): Map<string, TableRecord> {
    let tables = this.#accounts.get(account);
    if (!tables) {
      tables = new Map();
      this.#accounts.set(account, tables);
    }
    return tables;
  }
}
