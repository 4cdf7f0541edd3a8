import { statSync, truncateSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { describe, expect, it, vi } from 'vitest';
import { createClock } from '../../../../src/clock/clock.js';
import { keyOf } from '../../../../src/entity/stored/write-row.js';
import type { Engine } from '../../../../src/store/level/engine/engine.js';
import { commitsKey } from '../../../../src/store/level/engine/key-encoding.js';
import type { LevelStore } from '../../../../src/store/level/level-store.js';
import { FileLog } from '../../../../src/store/level/log/file-log.js';
import { type LogFiles, systemFiles } from '../../../../src/store/level/log/log-files.js';
import { readSegments } from '../../../../src/store/level/log/read-segments.js';
import { dataFolder, openFolder } from '../../../../src/store/level/open-folder.js';
import { openLevelStore } from '../../../../src/store/level/open-level-store.js';
import { isRejection } from '../../../../src/store/store.js';
import { StoreError } from '../../../../src/store/store-error.js';
import { runs } from '../../../support/arbitrary/property-runs.js';
import { randomFrom } from '../../../support/arbitrary/random.js';
import { damage, LossyDisk, levelLogs } from '../../../support/failing-store/lossy-disk.js';
import { makeFolder } from '../../../support/programs/make-folder.js';
import { copyAsKilled } from '../../../support/store/copy-as-killed.js';
import { account, insert, keyAt, numberOf, replace } from '../../../support/store/store-changes.js';

/**
 * What a power failure leaves of a store: all that was synced, and any part of the rest. The files of the log are cut to any length, or to
 * zeros from any byte on, after their last sync. LevelDB's own logs are cut anywhere or have blocks of zeros, since the store never syncs
 * them but for what it wrote when it was opened.
 *
 * The rows must be those of a prefix of the history, of at least what was promised.
 */

/** Which rule of the store is broken, to see that the test notices. */
type Broken = 'nothing' | 'one order' | 'log first' | 'proof before deletion' | 'a start replays all';

const rowCount = 40;
const tableNames = ['Plain', 'Layered'] as const;

/** A numbered transaction: all of its rows get its number. */
interface Transaction {
  readonly table: string;
  readonly rows: readonly number[];
}

/** Returns why the state after a power failure is wrong; undefined if it is right. */
async function runHistory(
  seed: number,
  durability: 'os' | 'fsync',
  broken: Broken,
  syncsFail = false,
): Promise<string | undefined> {
  const random = randomFrom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const [folder, copy] = [await makeFolder(), await makeFolder()];
  const history: Transaction[] = [];
  let promised = 0;
  const disk = new LossyDisk(broken === 'log first');
  const store = await open(folder, { durability, files: disk, broken });
  const repair = broken === 'one order' ? bypassLog(store) : () => {};
  const atOpening = new Map(levelLogs(folder).map((path) => [path, statSync(join(folder, dataFolder, path)).size]));
  try {
    for (const name of tableNames) await store.createTable(account, name);
    await store.snapshots.take('base', [account]);
    await store.deleteTable(account, 'Plain');
    await store.createTable(account, 'Plain');
    await store.swept();
    const known = new Set<string>();
    let hasFailed = false;
    // Never two in a row, so that a rejected write can be taken back.
    if (syncsFail) disk.fails = () => (hasFailed = !hasFailed && below(20) === 0);
    for (let step = 20 + below(150); step > 0; step--) {
      const table = tableNames[below(2)] ?? 'Plain';
      const length = below(6) === 0 ? 30 : 1 + below(2);
      const rows = [...new Set(Array.from({ length }, () => below(rowCount)))];
      const number = history.length + 1;
      const changes = rows.map((row) => {
        const id = `${table} ${row}`;
        const key = keyAt(`r${row}`);
        // Whether a row is there is not known after a rejected write.
        const change = syncsFail
          ? { ...replace(key, number, '*'), ifMatch: undefined }
          : known.has(id)
            ? replace(key, number, '*')
            : insert(key, number);
        known.add(id);
        const filler = {
          name: 'Text',
          type: 'Edm.String' as const,
          json: JSON.stringify('x'.repeat(300)),
          valueBytes: 600,
        };
        return 'properties' in change ? { ...change, properties: [...change.properties, filler] } : change;
      });
      history.push({ table, rows });
      try {
        if (isRejection(await store.openTable(account, table).commit(changes))) return 'a write was rejected';
      } catch (error) {
        if (!syncsFail) throw error;
        history.pop();
        continue;
      }
      if (durability === 'fsync') promised = history.length;
      if (below(8) === 0) {
        await store.swept().catch((error: unknown) => {
          if (!syncsFail) throw error;
        });
        if (broken !== 'log first' && !syncsFail) promised = history.length;
      } else if (below(3) === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    copyAsKilled(folder, copy);
    disk.lose(join(copy, dataFolder), random);
    for (const name of levelLogs(copy)) {
      const [path, from] = [join(copy, dataFolder, name), atOpening.get(name) ?? 0];
      // The disk need not keep any of it.
      if (broken === 'proof before deletion') truncateSync(path, Math.min(from, statSync(path).size));
      else damage(path, from, random);
    }
  } finally {
    disk.fails = () => false;
    repair();
    await store.close();
    await rm(folder, { recursive: true });
  }
  try {
    const opening = { durability, files: systemFiles, broken };
    const again = await (broken === 'a start replays all' ? openWithoutReplay(copy, opening) : open(copy, opening));
    try {
      return await compare(again, history, promised);
    } finally {
      await again.close();
    }
  } catch (error) {
    return `it does not start: ${error instanceof Error ? error.message : error}`;
  } finally {
    await rm(copy, { recursive: true });
  }
}

/** The engines of open stores. */
const engines = new WeakMap<LevelStore, Engine>();

interface Opening {
  readonly durability: 'os' | 'fsync';
  readonly files: LogFiles;
  readonly broken: Broken;
}

async function open(location: string, { durability, files, broken }: Opening): Promise<LevelStore> {
  const options = {
    ...{ clock: createClock(), durability, cacheBytes: 0 },
    report: (error: unknown) => {
      if (!(error instanceof StoreError && error.code === 'torn-write')) throw error;
    },
  };
  let opened: Engine | undefined;
  const store = await openFolder(location, options, {
    logOptions: { files, fileBytes: 48 * 1024 },
    async makeEngine(folder) {
      // Small write buffers, so that LevelDB changes its log often.
      const engine = new Level<string, string>(folder, { writeBufferSize: 64 * 1024 });
      if (broken === 'proof before deletion') Object.assign(engine, { compactRange: async () => {} });
      opened = engine as unknown as Engine;
      return opened;
    },
  });
  if (opened) engines.set(store, opened);
  return store;
}

/** Gives large transactions to LevelDB alone, beside the log. Returns a function that ends this. */
function bypassLog(store: LevelStore): () => void {
  const engine = engines.get(store);
  if (!engine) throw new Error('the store was opened elsewhere');
  const { append } = FileLog.prototype;
  const spy = vi.spyOn(FileLog.prototype, 'append').mockImplementation(function (this: FileLog, changes) {
    if (changes.length < 10) return append.call(this, changes);
    append.call(this, []);
    const batch = engine.batch();
    for (const { key, value } of changes) if (value !== null) batch.put(key, value);
    void batch.write();
    return undefined;
  });
  return () => spy.mockRestore();
}

/** Opens a store that replays only what LevelDB says that it lacks. */
async function openWithoutReplay(location: string, { durability }: Opening): Promise<LevelStore> {
  const folder = join(location, dataFolder);
  const engine = new Level<string, string>(folder) as unknown as Engine;
  await engine.open();
  const has = Number(engine.getSync(commitsKey) ?? 0);
  const found = await readSegments(folder, folder);
  const lacked = [...found.commits()].filter(({ number }) => number > has);
  return openLevelStore(engine, {
    ...{ clock: createClock(), location: folder, isNew: false, durability },
    log: { folder, content: { ...found, commits: () => lacked } },
  });
}

/** Returns why rows are not those of a prefix of a history. */
async function compare(
  store: LevelStore,
  history: readonly Transaction[],
  promised: number,
): Promise<string | undefined> {
  const state = new Map<string, number | undefined>();
  for (const table of tableNames) {
    const page = await store.openTable(account, table).readPage({ ranges: [{}], rowsMax: 1000 });
    if (isRejection(page)) return page.reason;
    for (const text of page.rows) state.set(`${table} ${keyOf(text, 'RowKey')}`, numberOf(text));
  }
  const length = Math.max(0, ...[...state.values()].map((number) => number ?? 0));
  const expected = new Map<string, number>();
  for (const [at, { table, rows }] of history.slice(0, length).entries()) {
    for (const row of rows) expected.set(`${table} r${row}`, at + 1);
  }
  if (length < promised) return `${promised} transactions were promised, and ${length} are there`;
  const isPrefix = expected.size === state.size && [...expected].every(([row, number]) => state.get(row) === number);
  return isPrefix ? undefined : `the rows are not those of the first ${length} transactions`;
}

async function faultsOf(histories: number, durability: 'os' | 'fsync', syncsFail: boolean): Promise<readonly string[]> {
  const faults: string[] = [];
  for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
    const fault = await runHistory(seed, durability, 'nothing', syncsFail);
    if (fault !== undefined) faults.push(`seed ${seed}: ${fault}`);
  }
  return faults;
}

/** Where the seeds begin, so that a long run can be made in parts. */
const firstSeed = Number(process.env['TABULARIUM_SEED'] ?? 1);
const histories = Number(process.env['TABULARIUM_HISTORIES'] ?? runs(12));

describe('after a power failure', () => {
  it.each(['os', 'fsync'] as const)(
    'a store has a prefix of its history, with everything that was promised (%s)',
    async (durability) => {
      expect(await faultsOf(histories, durability, false)).toEqual([]);
    },
    histories * 10_000,
  );

  it.each(['os', 'fsync'] as const)(
    'the same holds after failed syncs, and no rejected write is found (%s)',
    async (durability) => {
      expect(await faultsOf(histories, durability, true)).toEqual([]);
    },
    histories * 10_000,
  );

  it.each([
    ['one order', 'os'],
    ['log first', 'os'],
    ['proof before deletion', 'fsync'],
    ['a start replays all', 'fsync'],
  ] as const)(
    'a store that breaks the rule "%s" is found out',
    async (rule, durability) => {
      let fault: string | undefined;
      for (let seed = 1; seed <= 100 && fault === undefined; seed++) fault = await runHistory(seed, durability, rule);
      expect(fault).toBeDefined();
    },
    120_000,
  );
});
