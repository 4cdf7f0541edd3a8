import type { KeptId, SnapshotStore } from '../store/snapshots.js';

/** The state of the empty accounts before a load. If it exists at the next load, they are emptied. */
export const beforeLoad: KeptId = { kind: 'load', id: 'start' };

/** The note of a server that resumes an interrupted load. */
export const interrupted = 'An earlier load was interrupted. The data loaded so far is kept and served.';

/**
 * Forgets an interrupted load, for a server that does not load again: later writes must stay. Returns whether there was one.
 * Errors: the engine's.
 */
export function forgetInterruptedLoad({ kept }: Pick<SnapshotStore, 'kept'>): Promise<boolean> {
  return kept.drop(beforeLoad);
}
