import type { Engine } from '../engine/engine.js';
import { encodeNamedKey, type NamedKind } from '../engine/key-encoding.js';
import type { LayerList, RowsUsers } from '../layers/rows-users.js';
import { readRecords } from './check-records.js';
import { type PendingChange, PendingValues } from './pending-values.js';

/** How records use layers. */
export interface RecordLayers<T> {
  readonly of: (record: T) => LayerList;
  readonly users: RowsUsers;
}

/**
 * Keeps all records of a kind in memory, by name. There are few of them.
 *
 * Readers get the records that are written. Changes apply to those that will be written.
 */
export class RecordDirectory<T> {
  readonly #kind: NamedKind;
  readonly #records = new Map<string, T>();
  readonly #pending = new PendingValues<T | undefined>();
  readonly #layers: RecordLayers<T> | undefined;

  constructor(kind: NamedKind, layers?: RecordLayers<T>) {
    this.#kind = kind;
    this.#layers = layers;
  }

  /** Reads all records from the engine. Errors: StoreError if one cannot be read. */
  async load(engine: Engine, location: string): Promise<void> {
    const nameFrom = encodeNamedKey(this.#kind, '').length;
    for (const [key, record] of await readRecords<T>(engine, this.#kind, location)) {
      this.#records.set(key.slice(nameFrom), record);
    }
  }

  /** Returns the written records by name. */
  list(): readonly T[] {
    return [...this.#records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record);
  }

  /** Returns the written record of this name. */
  find(name: string): T | undefined {
    return this.#records.get(name);
  }

  /** Returns the record of this name as it will be when all pending changes are written. */
  findPending(name: string): T | undefined {
    const pending = this.#pending.get(name);
    return pending ? pending.value : this.#records.get(name);
  }

  /** Returns all records as they will be when all pending changes are written. */
  allPending(): readonly T[] {
    const names = new Set([...this.#records.keys(), ...[...this.#pending.entries()].map(([name]) => name)]);
    return [...names].flatMap((name) => this.findPending(name) ?? []);
  }

  /** Adds or replaces a record. */
  put(name: string, record: T): PendingChange {
    return this.#change(name, record);
  }

  /** Removes a record. */
  remove(name: string): PendingChange {
    return this.#change(name, undefined);
  }

  /** Removes all pending changes, after they could not be written. */
  clearPending(): void {
    this.#pending.clear();
  }

  #change(name: string, record: T | undefined): PendingChange {
    const settle = this.#pending.add(name, record);
    if (record && this.#layers) this.#layers.users.add(this.#layers.of(record));
    const written = () => {
      settle();
      const before = this.#records.get(name);
      if (before && this.#layers) this.#layers.users.remove(this.#layers.of(before));
      if (record) this.#records.set(name, record);
      else this.#records.delete(name);
    };
    const value = record ? JSON.stringify(record) : null;
    return { records: [{ key: encodeNamedKey(this.#kind, name), value }], written };
  }
}
