import type { ServiceProperties } from '../../../protocol/service-properties.js';
import type { Layer, TableRecord } from '../directories/table-directory.js';

/** A table as a snapshot keeps it: without rows of its own. */
export type FrozenTable = Omit<TableRecord, 'id'> & { readonly layers: readonly Layer[] };

/** An account as a snapshot keeps it. */
export interface FrozenAccount {
  readonly name: string;
  readonly settings: ServiceProperties;
  /** The service that it belongs to. Absent: storage accounts. */
  readonly service?: string;
  readonly tables: readonly FrozenTable[];
}

/** A snapshot as it is stored. */
export interface SnapshotRecord {
  readonly name: string;
  /** When it was taken: canonical UTC text. */
  readonly at: string;
  readonly accounts: readonly FrozenAccount[];
  /** A text that is kept with it. */
  readonly note?: string;
}

/** Returns all layers of a snapshot. */
export function layersOf(snapshot: SnapshotRecord | undefined): readonly Layer[] {
  return snapshot?.accounts.flatMap(({ tables }) => tables.flatMap(({ layers }) => layers)) ?? [];
}
