import type { EntityText } from '../entity/stored/entity.js';
import type { AccessPolicy } from '../protocol/access/access-policy.js';
import type { Table } from './store.js';

/** A piece of the tables of a store, the same for every engine. */
export type StoredPart =
  | ({ readonly kind: 'table' } & StoredTable)
  /** The next entities of the last table, in its order. A part fits in memory. */
  | { readonly kind: 'entities'; readonly texts: readonly EntityText[] };

/** A table of an account, without its entities. */
export interface StoredTable extends Table {
  readonly account: string;
  readonly policies: readonly AccessPolicy[];
  /** The order of its rows. Absent: key order. */
  readonly order?: 'insertion';
}

/** The size at which a part with entities ends. A part can exceed it by one entity. */
export const partMax = { entities: 1000, bytes: 1024 * 1024 } as const;

/** Decides whether to read a table. */
export type TableSelection = (account: string, name: string) => boolean;

/** Tables as of one moment. Later writes do not change them. */
export interface StoreView {
  /** By account, then by name in the form for comparisons. */
  readonly tables: readonly StoredTable[];
  /** Yields each table and its entities, on demand. Can be called again. */
  read(): AsyncIterable<StoredPart>;
  /** Yields the entities of a table in parts, in key order. */
  entitiesByKey(table: StoredTable): AsyncIterable<readonly EntityText[]>;
  /** Ends the view and frees its memory or its connection. */
  close(): Promise<void>;
}

/** Compares strings by UTF-16 code unit, the order of parts. */
export function compareOrdinal(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
