import { write } from '../decide.js';
import { keptName } from '../engine/key-encoding.js';
import { dropLayers } from '../layers/replace-tables.js';
import { type KeptRecord, layersOf, type SnapshotRecord } from '../layers/snapshot-record.js';
import type { LevelParts } from '../level-parts.js';

/** The name of the snapshot that older versions took before a load at the start. */
const oldLoad = '~before-start';

/**
 * Turns snapshots into kept states that older versions hid by names with `~`: the two of a call into its record. What such a
 * version could not finish is dropped.
 */
export async function upgradeSnapshots(parts: LevelParts): Promise<void> {
  const { snapshots, kept, queue } = parts;
  for (const snapshot of snapshots.list().filter(({ name }) => name.startsWith('~'))) {
    const record = upgraded(parts, snapshot);
    const puts = record ? [kept.put(keptName(record), record)] : [];
    await write(queue, [...puts, snapshots.remove(snapshot.name), ...dropLayers(parts, layersOf(snapshot))]);
  }
}

function upgraded(
  { snapshots }: LevelParts,
  { name, at, accounts, note }: SnapshotRecord & { readonly note?: string },
): KeptRecord | undefined {
  if (name === oldLoad) return { kind: 'load', id: 'start', at, accounts };
  const [, id] = /^~undo-([0-9]+)$/.exec(name) ?? [];
  if (id === undefined || note === undefined) return undefined;
  const after = snapshots.findPending(`${name}-after`)?.accounts;
  return { kind: 'undo', id, at, accounts, note, ...(after && { after }) };
}
