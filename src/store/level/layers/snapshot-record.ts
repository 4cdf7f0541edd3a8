import type { ServiceProperties } from '../../../protocol/service-properties.js';
import type { SnapshotId } from '../../snapshots.js';
import type { TableSelection } from '../../stored-parts.js';
import { pendingSettings } from '../directories/account-records.js';
import { type Layer, layersOfTable, type TableRecord } from '../directories/table-directory.js';
import { separator } from '../engine/key-encoding.js';
import type { LevelParts } from '../level-parts.js';
import type { LayerList } from './rows-users.js';

/** A table in a snapshot: without rows of its own, so all of them are in `layers`. */
export type FrozenTable = Omit<TableRecord, 'id' | 'rowsAccount'> & { readonly layers: readonly Layer[] };

/** Returns the current state of a table, for a snapshot. */
export function freezeTable(account: string, table: TableRecord): FrozenTable {
  const { id: _, rowsAccount: __, ...rest } = table;
  return { ...rest, layers: layersOfTable(account, table) };
}

/** An account in a snapshot. */
export interface FrozenAccount {
  readonly name: string;
  readonly settings: ServiceProperties;
  /** The service that it belongs to. Absent: storage accounts. */
  readonly service?: string;
  readonly tables: readonly FrozenTable[];
}

/** Returns the current state of an account, with the tables that `concerns` selects. Their next writes go to new rows. */
export function freezeAccount(
  parts: LevelParts,
  account: string,
  concerns: TableSelection = () => true,
): FrozenAccount {
  const { accounts, tables } = parts;
  const concerned = tables.listPending(account).filter(({ name }) => concerns(account, name));
  const service = accounts.findPending(account)?.service;
  return {
    name: account,
    settings: pendingSettings(parts, account),
    tables: concerned.map((table) => freezeTable(account, table)),
    ...(service !== undefined && { service }),
  };
}

/** The stored record of a snapshot or a kept state. */
export interface SnapshotRecord extends SnapshotId {
  /** When it was taken: canonical UTC text. */
  readonly at: string;
  readonly note?: string;
  readonly accounts: readonly FrozenAccount[];
}

/** Returns the key of a snapshot among the records of its kind. */
export function snapshotKey({ kind, id }: SnapshotId): string {
  return `${kind}${separator}${id}`;
}

/** Returns the layers of each table of a snapshot. */
export function listsOf(record: SnapshotRecord | undefined): readonly LayerList[] {
  return (record?.accounts ?? []).flatMap(({ tables }) => tables.map(({ layers }) => layers));
}

/** Returns all layers of a snapshot. */
export function layersOf(record: SnapshotRecord | undefined): readonly Layer[] {
  return listsOf(record).flat();
}
