import { hiddenName } from '../state/hidden-snapshots.js';
import type { SnapshotStore } from '../store/snapshots.js';

/** The snapshot of the empty accounts, which exists while a server loads its data. If it exists at the next load, they are emptied. */
export const beforeLoad = hiddenName('before', 'start');

/** The note of a server that goes on with what an interrupted load has left. */
export const interrupted = 'An earlier load was interrupted. What it had loaded stays, and is served.';

/**
 * Forgets a load that was interrupted, for a server that does not load again: what is written from now on must stay. Returns
 * whether there was one. Errors: the engine's.
 */
export async function forgetInterruptedLoad(snapshots: Pick<SnapshotStore, 'list' | 'delete'>): Promise<boolean> {
  const all = await snapshots.list();
  return all.some(({ name }) => name === beforeLoad) && snapshots.delete(beforeLoad);
}
