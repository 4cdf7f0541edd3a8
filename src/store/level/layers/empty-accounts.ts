import { forgetService } from '../directories/account-records.js';
import type { PendingChange } from '../directories/pending-values.js';
import { newTableId, type TableRecord, withLayers } from '../directories/table-directory.js';
import type { LevelParts } from '../level-parts.js';
import { dropLayers, dropTables, layersOfTables } from './drop-tables.js';

/** Drops tables of an account with all their rows. */
export function dropWithRows(parts: LevelParts, account: string, tables: readonly TableRecord[]): PendingChange[] {
  return [...dropTables(parts, account, tables), ...dropLayers(parts, layersOfTables(account, tables))];
}

/** Removes everything of an account, as `TableStore.reset` does. */
export function resetAccount(parts: LevelParts, account: string): PendingChange[] {
  const drops = dropWithRows(parts, account, parts.tables.listPending(account));
  return [...drops, parts.settings.reset(account), ...forgetService(parts, account)];
}

/** Gives tables of an account new rows without any entity. */
export function emptyTables(parts: LevelParts, account: string, tables: readonly TableRecord[]): PendingChange[] {
  const drops = dropTables(parts, account, tables);
  const idOfRows = () => newTableId(parts.clock.nextTimestamp());
  const puts = tables.map((table) =>
    parts.tables.put(account, withLayers(account, table, [{ account, id: idOfRows() }])),
  );
  return [...drops, ...puts, ...dropLayers(parts, layersOfTables(account, tables))];
}
