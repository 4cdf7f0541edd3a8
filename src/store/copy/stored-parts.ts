import type { EntityText } from '../../entity/stored/entity.js';
import type { AccessPolicy } from '../../protocol/access/access-policy.js';
import type { ServiceProperties } from '../../protocol/service-properties.js';
import type { AccountRecord } from '../account-services.js';
import type { Table } from '../store.js';

/** A piece of everything that a store keeps. It is the same for every engine, so one engine can load what another reads. */
export type StoredPart =
  /** No Timestamp in the store, or issued by it before, is later than `last`: canonical UTC text. */
  | { readonly kind: 'clock'; readonly last: string }
  /** An account that is not a storage account. */
  | ({ readonly kind: 'account' } & AccountRecord)
  /** The service properties of one account, if they were ever written. */
  | { readonly kind: 'settings'; readonly account: string; readonly properties: ServiceProperties }
  | ({ readonly kind: 'table' } & StoredTable)
  /** The next entities of the last table, in key order. A part has few enough to be kept in memory. */
  | {
      readonly kind: 'entities';
      readonly texts: readonly EntityText[];
      /** In a table in the order of insertion: the place of each entity, 16 hex digits. Later places are greater. */
      readonly places?: readonly string[];
    };

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

/** Reads everything that a store keeps, and changes nothing. The data does not change meanwhile. */
export interface StoreReader {
  /**
   * Returns all parts: the clock, the accounts of other services, the settings by account, then each table and its entities,
   * tables by account and by the name as the account compares it. Reads on only when the caller asks for more. Can be called again.
   */
  read(): AsyncIterable<StoredPart>;
  /** Ends the reading and frees the data for others. */
  close(): Promise<void>;
}

/**
 * Fills an empty place. Until `release` no server opens it. A place that was left before, for example by a killed
 * process, is emptied when it is opened again.
 */
export interface StoreLoader {
  /** Writes a part. Parts come in the order of `StoreReader.read`. Entities are kept as they are, byte for byte. */
  write(part: StoredPart): Promise<void>;
  /** Completes the data after the last part. Later Timestamps are later than all that were written. */
  finish(): Promise<void>;
  /** Returns everything that was written, as it is stored. */
  read(): AsyncIterable<StoredPart>;
  /** Makes everything durable and lets servers open the place. Ends the loading. */
  release(): Promise<void>;
  /** Ends the loading. A place that was not released stays closed to servers. Does nothing after `release`. */
  close(): Promise<void>;
}

/** Compares texts by UTF-16 code unit, the order of parts. */
export function compareOrdinal(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
