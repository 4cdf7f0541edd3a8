import type { ServiceProperties } from '../../protocol/service-properties.js';
import type { Engine } from './engine.js';
import { encodeSnapshotKey, kindRange } from './key-encoding.js';
import { type PendingChange, PendingValues } from './pending-values.js';
import type { Layer, TableRecord } from './table-directory.js';

/** A table as a snapshot keeps it: without rows of its own. */
export type FrozenTable = Omit<TableRecord, 'id'> & { readonly layers: readonly Layer[] };

/** An account as a snapshot keeps it. */
export interface FrozenAccount {
  readonly name: string;
  readonly settings: ServiceProperties;
  readonly tables: readonly FrozenTable[];
}

/** A snapshot as it is stored. */
export interface SnapshotRecord {
  readonly name: string;
  /** When it was taken: canonical UTC text. */
  readonly at: string;
  readonly accounts: readonly FrozenAccount[];
}

/** Keeps all snapshots in memory, without their rows. */
export class SnapshotDirectory {
  readonly #snapshots = new Map<string, SnapshotRecord>();
  readonly #pending = new PendingValues<SnapshotRecord | undefined>();

  /** Reads all records from the engine. Replaces what was in memory. */
  async load(engine: Engine): Promise<void> {
    this.#pending.clear();
    this.#snapshots.clear();
    for (const value of await engine.values(kindRange('snapshot')).all()) {
      const snapshot = JSON.parse(value) as SnapshotRecord;
      this.#snapshots.set(snapshot.name, snapshot);
    }
  }

  /** Returns the written snapshots by name. */
  list(): readonly SnapshotRecord[] {
    return [...this.#snapshots.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Returns the snapshot of this name as it will be when all pending changes are written. */
  findPending(name: string): SnapshotRecord | undefined {
    const pending = this.#pending.get(name);
    return pending ? pending.value : this.#snapshots.get(name);
  }

  /** Returns all snapshots as they will be when all pending changes are written. */
  allPending(): readonly SnapshotRecord[] {
    const names = new Set([...this.#snapshots.keys(), ...[...this.#pending.entries()].map(([name]) => name)]);
    return [...names].flatMap((name) => this.findPending(name) ?? []);
  }

  /** Adds or replaces a snapshot. */
  put(snapshot: SnapshotRecord): PendingChange {
    return this.#change(snapshot.name, snapshot);
  }

  /** Removes a snapshot. Its layers stay. */
  remove(name: string): PendingChange {
    return this.#change(name, undefined);
  }

  /** Removes all pending changes, after they could not be written. */
  clearPending(): void {
    this.#pending.clear();
  }

  #change(name: string, snapshot: SnapshotRecord | undefined): PendingChange {
    const settle = this.#pending.add(name, snapshot);
    const written = () => {
      settle();
      if (snapshot) this.#snapshots.set(name, snapshot);
      else this.#snapshots.delete(name);
    };
    const value = snapshot ? JSON.stringify(snapshot) : null;
    return { records: [{ key: encodeSnapshotKey(name), value }], written };
  }
}

/** Returns all layers of a snapshot. */
export function layersOf(snapshot: SnapshotRecord | undefined): readonly Layer[] {
  return snapshot?.accounts.flatMap(({ tables }) => tables.flatMap(({ layers }) => layers)) ?? [];
}
