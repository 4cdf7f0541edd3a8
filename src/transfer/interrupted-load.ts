import type { KeptId, SnapshotStore } from '../store/snapshots.js';

/** Keeps the empty accounts while a server loads its data. If it exists at the next load, they are emptied. */
export const beforeLoad: KeptId = { kind: 'load', id: 'start' };

/** The note of a server that resumes an interrupted load. */
export const interrupted = 'An earlier load was interrupted. The data loaded so far is kept and served.';

/**
 * Forgets a load that was interrupted, for a server that does not load again: what is written from now on must stay. Returns
 * whether there was one. Errors: the engine's.
 */
export function forgetInterruptedLoad({ kept }: Pick<SnapshotStore, 'kept'>): Promise<boolean> {
  return kept.drop(beforeLoad);
}
