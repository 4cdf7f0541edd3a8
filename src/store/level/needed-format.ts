import { layeredFormat, plainFormat, servicesFormat } from './format-file.js';
import type { Directories } from './level-table.js';

/** Returns the lowest format that a store can have, so that older versions read it. */
export function formatOf({ tables, snapshots, branches, accounts }: Directories): number {
  const frozen = snapshots.list().flatMap((snapshot) => snapshot.accounts);
  if (accounts.list().length > 0 || frozen.some(({ service }) => service !== undefined)) return servicesFormat;
  if (snapshots.list().length > 0 || branches.list().length > 0) return layeredFormat;
  for (const { table } of tables.allPending()) if (table.layers) return layeredFormat;
  return plainFormat;
}
