import { ownText } from '../../../remembered.js';
import type { Engine, RecordChange } from '../engine/engine.js';
import { encodeNamedKey, type NamedKind } from '../engine/key-encoding.js';
import { haveSameLists, type LayerList, type RowsUsers } from '../layers/rows-users.js';
import { readRecords } from './check-records.js';

/** A decided change that is not yet written. */
export interface PendingChange {
  readonly records: readonly RecordChange[];
  readonly written: () => void;
}

interface RecordLayers<T> {
  readonly of: (record: T) => readonly LayerList[];
  readonly users: RowsUsers;
}

/**
 * Keeps all records of a kind in memory, by name. There are few of them.
 *
 * Readers get written records. Writers decide on pending ones, which readers must not see because the commit may fail. The store
 * adds a change to the commit queue before it awaits anything.
 */
export class RecordDirectory<T extends object> {
  readonly #kind: NamedKind;
  readonly #keyStart: string;
  readonly #records = new Map<string, T>();
  /** The newest decided records that are not yet written; undefined for removals. */
  readonly #pending = new Map<string, { readonly record: T | undefined }>();
  readonly #layers: RecordLayers<T> | undefined;
  #sorted: readonly T[] | undefined;

  constructor(kind: NamedKind, layers?: RecordLayers<T>, keyStart = encodeNamedKey(kind, '')) {
    this.#kind = kind;
    this.#keyStart = keyStart;
    this.#layers = layers;
  }

  /** Reads all records of the kind from the engine. Errors: StoreError if one cannot be read. */
  async load(engine: Engine, location: string): Promise<void> {
    for (const [key, record] of await readRecords<T>(engine, this.#kind, location)) {
      this.add(key.slice(this.#keyStart.length), record);
    }
  }

  add(name: string, record: T): void {
    this.#records.set(name, record);
  }

  /** Whether there is no record, written or pending. */
  get isEmpty(): boolean {
    return this.#records.size === 0 && this.#pending.size === 0;
  }

  list(): readonly T[] {
    this.#sorted ??= [...this.#records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record);
    return this.#sorted;
  }

  find(name: string): T | undefined {
    return this.#records.get(name);
  }

  /** Returns a record as of all pending changes. */
  findPending(name: string): T | undefined {
    const pending = this.#pending.get(name);
    return pending ? pending.record : this.#records.get(name);
  }

  /** Returns all records and their names as of all pending changes, in any order. */
  allPending(): readonly (readonly [name: string, record: T])[] {
    const names = new Set([...this.#records.keys(), ...this.#pending.keys()]);
    return [...names].flatMap((name) => {
      const record = this.findPending(name);
      return record ? [[name, record] as const] : [];
    });
  }

  put(name: string, record: T): PendingChange {
    return this.#change(name, record);
  }

  remove(name: string): PendingChange {
    return this.#change(name, undefined);
  }

  /** Discards all pending changes, after a failed write. */
  clearPending(): void {
    this.#pending.clear();
  }

  #change(name: string, record: T | undefined): PendingChange {
    const pending = { record };
    const ownName = ownText(name);
    const before = this.findPending(name);
    this.#count(record, before, (users, layers) => users.add(layers));
    this.#layers?.users.decide(this.#listsOf(before), this.#listsOf(record));
    this.#pending.set(ownName, pending);
    const written = () => {
      // A newer change of the same record stays pending.
      if (this.#pending.get(name) === pending) this.#pending.delete(name);
      this.#count(this.#records.get(name), record, (users, layers) => users.remove(layers));
      if (record) this.#records.set(ownName, record);
      else this.#records.delete(name);
      this.#sorted = undefined;
    };
    return { records: [{ key: this.#keyStart + name, value: record ? JSON.stringify(record) : null }], written };
  }

  /** Counts the layers of a record, unless its other version has the same ones. */
  #count(record: T | undefined, other: T | undefined, count: (users: RowsUsers, layers: LayerList) => void): void {
    if (!record || !this.#layers) return;
    const lists = this.#listsOf(record);
    if (other && haveSameLists(lists, this.#listsOf(other))) return;
    for (const layers of lists) count(this.#layers.users, layers);
  }

  #listsOf(record: T | undefined): readonly LayerList[] {
    return record && this.#layers ? this.#layers.of(record) : [];
  }
}
