import { readClock } from '../directories/check-records.js';
import { openShadow } from './shadow-folder.js';

/**
 * Checks whether a store can be opened, and returns the last Timestamp in it; undefined if it has none. Changes nothing in its folder, which
 * must exist. `report` is called with the warnings that a start would report. Must not be called by a process that has the store
 * open, because the process would lose its lock.
 *
 * Errors: StoreError if the store cannot be opened, with what to do.
 */
export async function examineStore(folder: string, report: (warning: unknown) => void): Promise<string | undefined> {
  const { engine, close } = await openShadow(folder, report);
  const last = engine && readClock(engine, folder);
  await close();
  return last;
}
