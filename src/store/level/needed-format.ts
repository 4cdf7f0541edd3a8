import { loggedFormat, plainFormat, servicesFormat } from './format-file.js';
import type { Directories } from './level-parts.js';

/** Returns the lowest format that a store can have, so that older versions read it. */
export function formatOf({ tables, snapshots, branches, accounts }: Directories): number {
  // Older versions write to the own rows of a table, though a snapshot has them, too.
  if (snapshots.list().length > 0 || branches.list().length > 0) return loggedFormat;
  for (const { table } of tables.allPending()) if (table.layers || table.rowsAccount !== undefined) return loggedFormat;
  return accounts.list().length > 0 ? servicesFormat : plainFormat;
}
