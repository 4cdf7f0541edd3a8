import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Level } from 'level';
import { MemoryLevel } from 'memory-level';
import { type Clock, createClock } from '../../../src/clock/clock.js';
import type { Engine } from '../../../src/store/level/engine/engine.js';
import type { LevelStoreOptions } from '../../../src/store/level/level-parts.js';
import type { LevelStore } from '../../../src/store/level/level-store.js';
import type { FileLogOptions } from '../../../src/store/level/log/file-log.js';
import { systemFiles } from '../../../src/store/level/log/log-files.js';
import { emptyLog, readSegments } from '../../../src/store/level/log/read-segments.js';
import { openLevelStore } from '../../../src/store/level/open-level-store.js';
import { makeFolder } from '../programs/make-folder.js';
import { smallCacheBytes } from './test-engines.js';

/** A store of LevelDB and its engine, for tests that look inside. */
export interface LevelUnderTest {
  readonly engine: Engine;
  /** Returns the open store. It is another object after `reopen`. */
  store(): LevelStore;
  /** Makes the next sync of the log fail as on a broken disk when `fail` is called. Later ones succeed. */
  failNextSync(): { readonly fail: () => void };
  /** Errors that the store reported from its background work. */
  readonly reports: readonly unknown[];
  /** Closes the store and opens it again with the same data. */
  reopen(clock?: Clock): Promise<void>;
  /** Returns all keys with this prefix that the engine has when it has caught up. The store must be closed or idle. */
  storedKeys(start: string): Promise<readonly string[]>;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
}

/** Where LevelDB may keep its data. `synced` keeps each commit on disk before it is acknowledged. */
export type LevelGround = 'LevelDB' | 'LevelDB, synced' | 'memory' | 'memory, read through a cache';

/** All grounds. */
export const levelGrounds: readonly LevelGround[] = ['LevelDB', 'memory', 'memory, read through a cache'];

/** Opens an empty store. */
export async function openLevelOn(
  ground: LevelGround,
  clock: Clock = createClock(),
  { logOptions, ...options }: Partial<LevelStoreOptions> & { readonly logOptions?: FileLogOptions } = {},
): Promise<LevelUnderTest> {
  const folder = ground.startsWith('LevelDB') ? await makeFolder() : undefined;
  const engine = (folder === undefined
    ? new MemoryLevel<string, string>({ storeEncoding: 'utf8' })
    : new Level<string, string>(folder)) as unknown as Engine;
  const reports: unknown[] = [];
  let fault: Promise<void> | undefined;
  const sync: typeof systemFiles.sync = async (descriptor) => {
    const failing = fault;
    fault = undefined;
    if (!failing) return systemFiles.sync(descriptor);
    await failing;
    throw new Error('no space left on device');
  };
  const findLog = async (place: string) => ({
    ...{ folder: place, files: { ...systemFiles, sync }, ...logOptions },
    content: readdirSync(place).some((name) => name.startsWith('COMMITS'))
      ? await readSegments(place, place)
      : emptyLog,
  });
  const open = async (now: Clock) =>
    openLevelStore(engine, {
      clock: now,
      location: 'the test folder',
      cacheBytes: ground === 'memory, read through a cache' ? smallCacheBytes : 0,
      report: (error) => reports.push(error),
      durability: ground === 'LevelDB, synced' ? 'fsync' : 'os',
      ...(folder !== undefined && { log: await findLog(folder) }),
      ...options,
    });
  let store = await open(clock);
  return {
    engine,
    failNextSync() {
      let fail = () => {};
      fault = new Promise((resolve) => {
        fail = resolve;
      });
      return { fail };
    },
    reports,
    store: () => store,
    async reopen(next = clock) {
      await store.close();
      store = await open(next);
    },
    async storedKeys(start) {
      if (engine.status === 'open') await store.swept();
      await engine.open();
      return engine.keys({ gte: start, lt: `${start}\uffff` }).all();
    },
    async dispose() {
      await store.close();
      if (folder !== undefined) await rm(folder, { recursive: true });
    },
  };
}
