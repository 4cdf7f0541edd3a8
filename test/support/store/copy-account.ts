import type { SnapshotStore } from '../../../src/store/snapshots.js';

/** Makes an account what another one is now, through a snapshot. Returns the number of tables. */
export async function copyAccount(snapshots: SnapshotStore, from: string, to: string): Promise<number | undefined> {
  const taken = snapshots.take('copied', [from]);
  const restored = snapshots.exchange({ restored: { snapshot: 'copied', accounts: [{ from, to }] } });
  const deleted = snapshots.delete('copied');
  const [, exchanged] = await Promise.all([taken, restored, deleted]);
  return exchanged?.restored;
}
