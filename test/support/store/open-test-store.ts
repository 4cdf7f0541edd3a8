import { type Clock, createClock } from '../../../src/clock/clock.js';
import type { Store } from '../../../src/store/store.js';
import { type Ground, makePlace } from './test-engines.js';

/** A store of any engine, as a test of the contract uses it. */
export interface StoreUnderTest {
  /** Returns the open store. It is another object after `reopen`. */
  store(): Store;
  /** Errors that the store reported from its background work. */
  readonly reports: readonly unknown[];
  /** Closes the store and opens it again with the same data. */
  reopen(clock?: Clock): Promise<void>;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
}

/** Opens an empty store. */
export async function openTestStore(
  { engine, cacheBytes }: Ground,
  clock: Clock = createClock(),
): Promise<StoreUnderTest> {
  const place = await makePlace(engine);
  const reports: unknown[] = [];
  const open = (now: Clock) => place.open({ clock: now, cacheBytes, report: (error) => reports.push(error) });
  let store = await open(clock);
  return {
    reports,
    store: () => store,
    async reopen(next = clock) {
      await store.close();
      store = await open(next);
    },
    async dispose() {
      await store.close();
      await place.remove();
    },
  };
}
