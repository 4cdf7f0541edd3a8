import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Level } from 'level';
import { MemoryLevel } from 'memory-level';
import { type Clock, createClock } from '../../src/entity/clock.js';
import type { Engine } from '../../src/store/level/commit-queue.js';
import { type LevelStore, type LevelStoreOptions, openLevelStore } from '../../src/store/level/level-store.js';

/** A store, and the engine under it. */
export interface StoreUnderTest {
  readonly engine: Engine;
  /** The open store; another one after `reopen`. */
  store(): LevelStore;
  /** What the store reported of its work in the background. */
  readonly reports: readonly unknown[];
  /** Closes the store and opens it again, on the same data. */
  reopen(clock?: Clock): Promise<void>;
  /** All stored keys that begin so; the store must be closed or at rest. */
  storedKeys(start: string): Promise<readonly string[]>;
  /** Closes the store and takes its data away. */
  dispose(): Promise<void>;
}

/** Where a store may keep its data. */
export type Ground = 'LevelDB' | 'memory' | 'memory, read through a cache';

/** Every ground the contract holds on. */
export const grounds: readonly Ground[] = ['LevelDB', 'memory', 'memory, read through a cache'];

/** Small, so that it evicts. Unit: bytes. */
const smallCacheBytes = 64 * 1024;

/** A folder of its own in the machine's temporary one. */
export function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'tabularium-test-'));
}

/** Opens an empty store. */
export async function openStoreOn(
  ground: Ground,
  clock: Clock = createClock(),
  options: Partial<LevelStoreOptions> = {},
): Promise<StoreUnderTest> {
  const folder = ground === 'LevelDB' ? await makeFolder() : undefined;
  const engine = (folder === undefined
    ? new MemoryLevel<string, string>({ storeEncoding: 'utf8' })
    : new Level<string, string>(folder)) as unknown as Engine;
  const reports: unknown[] = [];
  const open = (now: Clock) =>
    openLevelStore(engine, {
      clock: now,
      location: 'the test folder',
      cacheBytes: ground === 'memory, read through a cache' ? smallCacheBytes : 0,
      report: (error) => reports.push(error),
      ...options,
    });
  let store = await open(clock);
  return {
    engine,
    reports,
    store: () => store,
    async reopen(next = clock) {
      await store.close();
      store = await open(next);
    },
    async storedKeys(start) {
      await engine.open();
      return engine.keys({ gte: start, lt: `${start}\uffff` }).all();
    },
    async dispose() {
      await store.close();
      if (folder !== undefined) await rm(folder, { recursive: true });
    },
  };
}
