import type { Clock } from '../../../clock/clock.js';
import { makeEngine } from '../engine/make-engine.js';
import { openLevelStore } from '../open-level-store.js';
import { explainShadowFailure, makeShadowFolder } from './shadow-folder.js';

/** What to examine. */
export interface StoreExamination {
  /** The data folder. Must exist. */
  readonly folder: string;
  /** Is advanced to the last Timestamp in the store. */
  readonly clock: Clock;
  /** Is called with the warnings that a start would report. */
  readonly report: (error: unknown) => void;
}

/**
 * Checks whether a store can be opened. Changes nothing in its folder. Must not be called by a process that has the store
 * open, because the process would lose its lock.
 *
 * Errors: StoreError if the store cannot be opened, with what to do.
 */
export async function examineStore({ folder, clock, report }: StoreExamination): Promise<void> {
  const { path, hasStore, isNew, log, warning, remove } = await makeShadowFolder(folder);
  try {
    if (warning !== undefined) report(warning);
    if (!hasStore) return;
    const store = await openLevelStore(await makeEngine(path), {
      ...{ clock, location: folder, isNew, report, found: log ?? { oldFolder: path } },
    });
    await store.close();
  } catch (error) {
    throw await explainShadowFailure(error, folder, path);
  } finally {
    await remove();
  }
}
