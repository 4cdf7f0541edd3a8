import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
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
import { isRefusal } from '../../../../src/store/store.js';
import { StoreError } from '../../../../src/store/store-error.js';
import { runs } from '../../../support/arbitrary/property-runs.js';
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
  const random = generator(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const [folder, copy] = [await makeFolder(), await makeFolder()];
  const history: Transaction[] = [];
  let promised = 0;
  const disk = new Disk(broken === 'log first');
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
    if (syncsFail) disk.fails = () => below(20) === 0;
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
        if (isRefusal(await store.openTable(account, table).commit(changes))) return 'a write was refused';
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
    ...{ clock: createClock(), location: folder, logFolder: folder, isNew: false, durability },
    found: { ...found, commits: () => lacked },
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
    if (isRefusal(page)) return page.reason;
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

/** What a disk has of a file. */
interface DiskFile {
  readonly path: string;
  /** Unit: bytes. */
  length: number;
  /** How much of it is on disk. Unit: bytes. */
  synced: number;
  /** Whether a sync has failed, after which nothing more of it reaches the disk. */
  isLost?: boolean;
  /** Whether the disk has its name. */
  isNamed: boolean;
  /** What it had when it was deleted. */
  deleted?: Buffer;
}

/** The files of the log on a disk that keeps only what was synced. */
class Disk implements LogFiles {
  readonly #lies: boolean;
  /** Tells whether the next sync fails. Never two in a row, so that a rejected write can be taken back. */
  fails: () => boolean = () => false;
  #hasFailed = false;
  readonly #open = new Map<number, DiskFile>();
  #files: DiskFile[] = [];

  /** A disk that lies says that it has synced what it has not. */
  constructor(lies: boolean) {
    this.#lies = lies;
  }

  create(path: string): number {
    const descriptor = systemFiles.create(path);
    const file = { path, length: 0, synced: 0, isNamed: false };
    this.#open.set(descriptor, file);
    this.#files.push(file);
    return descriptor;
  }

  open(path: string): number {
    return systemFiles.open(path);
  }

  write(descriptor: number, bytes: Buffer, position: number): void {
    systemFiles.write(descriptor, bytes, position);
    this.#file(descriptor).length = position + bytes.length;
  }

  async writeLater(descriptor: number, bytes: Buffer, position: number): Promise<void> {
    await systemFiles.writeLater(descriptor, bytes, position);
    this.#file(descriptor).length = position + bytes.length;
  }

  async sync(descriptor: number): Promise<void> {
    const file = this.#file(descriptor);
    const { length } = file;
    await new Promise((resolve) => setImmediate(resolve));
    this.#hasFailed = !this.#hasFailed && this.fails();
    if (this.#hasFailed) {
      // The system has marked the pages as clean, and never writes them.
      file.isLost = true;
      throw new Error('EIO: i/o error, fdatasync');
    }
    if (!this.#lies && !file.isLost) file.synced = Math.max(file.synced, Math.min(length, file.length));
  }

  async syncFolder(): Promise<void> {
    const files = [...this.#files];
    await new Promise((resolve) => setImmediate(resolve));
    for (const file of files) file.isNamed = true;
    this.#files = this.#files.filter((file) => !files.includes(file) || !file.deleted);
  }

  cut(descriptor: number, bytes: number): void {
    systemFiles.cut(descriptor, bytes);
    const file = this.#file(descriptor);
    file.length = bytes;
    file.synced = Math.min(file.synced, bytes);
  }

  close(descriptor: number): void {
    systemFiles.close(descriptor);
    this.#open.delete(descriptor);
  }

  async remove(path: string): Promise<void> {
    const file = this.#files.find((one) => one.path === path);
    if (file) file.deleted = readFileSync(path);
    await systemFiles.remove(path);
  }

  /** Loses some of what was not synced, in a copy of the folder: ends of files, their names, and that some were deleted. */
  lose(copy: string, random: () => number): void {
    for (const { path, length, synced, isNamed, deleted } of this.#files) {
      const name = join(copy, path.slice(path.lastIndexOf('COMMITS')));
      if (deleted && random() < 0.5) continue;
      const content = (deleted ?? readFileSync(name)).subarray(0, length);
      if (!isNamed && random() < 0.5) {
        rmSync(name, { force: true });
        continue;
      }
      const kept = synced + Math.floor(random() * random() * (length - synced + 1));
      const zeros = random() < 0.5 ? 0 : length - kept;
      const bytes = Buffer.concat([content.subarray(0, kept), Buffer.alloc(zeros)]);
      // Or the system wrote later blocks first.
      if (zeros > 0 && random() < 0.5) {
        for (let at = kept; at < length; at += 512) if (random() < 0.5) content.copy(bytes, at, at, at + 512);
      }
      writeFileSync(name, bytes);
    }
  }

  #file(descriptor: number): DiskFile {
    const file = this.#open.get(descriptor);
    if (!file) throw new Error('the file is not open');
    return file;
  }
}

function levelLogs(folder: string): readonly string[] {
  return readdirSync(join(folder, dataFolder)).filter((name) => /^\d+\.log$/.test(name));
}

/** Loses what is after a position: the end, or blocks. */
function damage(path: string, from: number, random: () => number): void {
  const bytes = readFileSync(path);
  if (from >= bytes.length || random() < 0.2) return;
  if (random() < 0.5) {
    writeFileSync(path, bytes.subarray(0, from + Math.floor(random() * (bytes.length - from))));
    return;
  }
  for (let at = Math.ceil(from / 512) * 512; at < bytes.length; at += 512) {
    if (random() < 0.1) bytes.fill(0, at, Math.min(at + 512, bytes.length));
  }
  writeFileSync(path, bytes);
}

/** Returns numbers from 0 up to, not including, 1. Source: mulberry32, public domain. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
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
    'the same holds when syncs have failed meanwhile, and what was rejected is not there (%s)',
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
