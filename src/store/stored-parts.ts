import type { EntityText } from '../entity/stored/entity.js';
import type { AccessPolicy } from '../protocol/access/access-policy.js';
import type { Table } from './store.js';

/** A piece of the tables of a store, the same for every engine. */
export type StoredPart =
  | ({ readonly kind: 'table' } & StoredTable)
  /** The next entities of the last table, in its order. A part has few enough to be kept in memory. */
  | { readonly kind: 'entities'; readonly texts: readonly EntityText[] };

/** A table of an account, with everything but its entities. */
export interface StoredTable extends Table {
  readonly account: string;
  readonly policies: readonly AccessPolicy[];
  /** The order of its rows. Absent: that of the keys. */
  readonly order?: 'insertion';
}

/** The size at which a part with entities ends. A part can be longer by one entity. */
export const partMax = { entities: 1000, bytes: 1024 * 1024 } as const;

/** Decides whether to read a table. */
export type TableSelection = (account: string, name: string) => boolean;

/** Tables as they were at one moment. Later writes do not change them. */
export interface StoreView {
  /** By account and by the name as the account compares it. */
  readonly tables: readonly StoredTable[];
  /** Yields each table and its entities. Reads on only when the caller asks for more. Can be called again. */
  read(): AsyncIterable<StoredPart>;
  /** Yields the entities of one of the tables in parts, in the order of their keys. */
  entitiesByKey(table: StoredTable): AsyncIterable<readonly EntityText[]>;
  /** Ends the reading and frees the memory or the connection. */
  close(): Promise<void>;
}

/** Compares texts by UTF-16 code unit, the order of parts. */
export function compareOrdinal(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
