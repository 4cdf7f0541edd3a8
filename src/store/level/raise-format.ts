import { layeredFormat, plainFormat, servicesFormat } from './format-file.js';
import { formatKey } from './key-encoding.js';
import type { Directories, LevelParts } from './level-table.js';
import type { PendingChange } from './pending-values.js';

/** Returns the change that gives a store at least this format. */
export function raiseFormat({ engine, queue }: LevelParts, format: number): readonly PendingChange[] {
  const found = queue.pending(formatKey)?.value ?? engine.getSync(formatKey);
  if (Number(found) >= format) return [];
  return [{ records: [{ key: formatKey, value: String(format) }], written: () => {} }];
}

/** Returns the lowest format that a store can have, so that older versions read it. */
export function formatOf({ tables, snapshots, branches, accounts }: Directories): number {
  const frozen = snapshots.list().flatMap((snapshot) => snapshot.accounts);
  if (accounts.list().length > 0 || frozen.some(({ service }) => service !== undefined)) return servicesFormat;
  if (snapshots.list().length > 0 || branches.list().length > 0) return layeredFormat;
  for (const { table } of tables.allPending()) if (table.layers) return layeredFormat;
  return plainFormat;
}
