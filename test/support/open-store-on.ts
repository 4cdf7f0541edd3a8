import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Level } from 'level';
import { MemoryLevel } from 'memory-level';
import { type Clock, createClock } from '../../src/entity/clock.js';
import type { Engine } from '../../src/store/level/engine.js';
import { type LevelStore, type LevelStoreOptions, openLevelStore } from '../../src/store/level/level-store.js';

/** A store and its engine. */
export interface StoreUnderTest {
  readonly engine: Engine;
  /** Returns the open store. It is another object after `reopen`. */
  store(): LevelStore;
  /** Errors that the store reported from its background work. */
  readonly reports: readonly unknown[];
  /** Closes the store and opens it again with the same data. */
  reopen(clock?: Clock): Promise<void>;
  /** Returns all stored keys with this prefix. The store must be closed or idle. */
  storedKeys(start: string): Promise<readonly string[]>;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
}

/** Where a store may keep its data. */
export type Ground = 'LevelDB' | 'memory' | 'memory, read through a cache';

/** All grounds on which the contract is tested. */
export const grounds: readonly Ground[] = ['LevelDB', 'memory', 'memory, read through a cache'];

/** The size of a small cache that must evict. Unit: bytes. */
const smallCacheBytes = 64 * 1024;

/** Creates a folder in the temporary folder of the system. */
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
