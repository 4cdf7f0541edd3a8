import type { Clock } from '../../entity/clock.js';
import type { ServiceProperties } from '../../protocol/service-properties.js';
import type { Refusal, Store, Table } from '../store.js';
import { StoreError } from '../store-error.js';
import { checkRecords } from './check-records.js';
import { CommitQueue } from './commit-queue.js';
import { DeadRecords } from './dead-records.js';
import type { Engine } from './engine.js';
import { checkFormat, explainOpenFailure } from './format.js';
import { clockKey, entityPrefix, formatKey } from './key-encoding.js';
import { type LevelParts, LevelTable, refuse } from './level-table.js';
import { EngineMender } from './mend-engine.js';
import type { PendingChange } from './pending-values.js';
import { ReadCache } from './read-cache.js';
import { ServiceSettings } from './service-settings.js';
import { newTable, TableDirectory, type TableRecord } from './table-directory.js';

/** What a store needs beside its engine. */
export interface LevelStoreOptions {
  readonly clock: Clock;
  /** How the place of the data is called in messages. */
  readonly location: string;
  /** What an acknowledged write has reached: the operating system (the default), or the disk. */
  readonly durability?: 'os' | 'fsync';
  /** What the read cache may hold; none by default. Unit: bytes. */
  readonly cacheBytes?: number;
  /** Hears of faults in the background. */
  readonly report?: (error: unknown) => void;
  /** Whether the place was never used; where it was, an engine without data is a damaged one. */
  readonly isNew?: boolean;
  /** Fails while there is no room for the engine to be opened anew. */
  readonly checkRoom?: () => Promise<void>;
  /** Fails while no write can succeed. */
  readonly checkWritable?: () => Promise<void>;
}

/**
 * Opens a store on LevelDB, or on its stand-in in memory.
 *
 * Errors: StoreError when the data is in use, damaged or of another format.
 */
export async function openLevelStore(engine: Engine, options: LevelStoreOptions): Promise<LevelStore> {
  try {
    await engine.open();
  } catch (error) {
    throw explainOpenFailure(error, options.location);
  }
  try {
    await checkFormat(engine, options.location, options.isNew ?? true);
    await checkRecords(engine, options.location);
    const last = engine.getSync(clockKey);
    if (last !== undefined) options.clock.resumeAfter(last);
    const tables = new TableDirectory();
    await tables.load(engine);
    return new LevelStore(engine, tables, options);
  } catch (error) {
    await engine.close();
    throw error instanceof StoreError ? error : explainOpenFailure(error, options.location);
  }
}

/** A store on LevelDB: one record per entity, and one write batch per group of commits. */
export class LevelStore implements Store {
  readonly #parts: LevelParts;
  readonly #settings: ServiceSettings;
  readonly #checkWritable: (() => Promise<void>) | undefined;

  constructor(engine: Engine, tables: TableDirectory, options: LevelStoreOptions) {
    const { clock, durability = 'os', cacheBytes = 0, report = () => {}, checkRoom = async () => {} } = options;
    this.#checkWritable = options.checkWritable;
    this.#settings = new ServiceSettings(engine);
    const cache = new ReadCache(cacheBytes);
    const queue = new CommitQueue(engine, {
      durability,
      keepView: cacheBytes > 0,
      written: (changes) => cache.apply(changes),
      alongside: () => ({ key: clockKey, value: clock.last() }),
      failed: () => {
        tables.forgetPending();
        this.#settings.forgetPending();
      },
    });
    const dead = new DeadRecords(engine, { write: (changes) => queue.add(changes), checkRoom, report });
    const mender = new EngineMender(engine, queue, {
      checkRoom,
      pause: () => dead.pause(),
      reload: async () => {
        await tables.load(engine);
        this.#settings.forget();
        cache.clear();
        dead.resume();
      },
    });
    this.#parts = { engine, clock, tables, queue, cache, dead, mender };
    dead.resume();
  }

  async createTable(account: string, name: string): Promise<Table | Refusal> {
    const { queue, mender, tables, clock } = this.#parts;
    if (queue.isTorn) await mender.mend();
    if (tables.findPending(account, name)) return refuse(queue, 'table-exists');
    const table = newTable(name, clock.nextTimestamp());
    await this.#write(tables.put(account, table));
    return table;
  }

  async deleteTable(account: string, name: string): Promise<Table | Refusal> {
    const { queue, mender, tables } = this.#parts;
    if (queue.isTorn) await mender.mend();
    const table = tables.findPending(account, name);
    if (!table) return refuse(queue, 'table-missing');
    await this.#write(this.#drop(account, table));
    return table;
  }

  openTable(account: string, name: string): LevelTable {
    return new LevelTable(this.#parts, account, name);
  }

  listTables(account: string): readonly Table[] {
    return this.#parts.tables.list(account);
  }

  readServiceProperties(account: string): ServiceProperties | Promise<ServiceProperties> {
    const known = this.#settings.known(account);
    if (known) return known;
    const { readable } = this.#parts.mender;
    return readable ? readable.then(() => this.readServiceProperties(account)) : this.#settings.read(account);
  }

  async writeServiceProperties(account: string, changed: Partial<ServiceProperties>): Promise<void> {
    const { queue, mender } = this.#parts;
    if (queue.isTorn) await mender.mend();
    await this.#write(this.#settings.change(account, changed));
  }

  async reset(account: string): Promise<void> {
    const { queue, mender, tables } = this.#parts;
    if (queue.isTorn) await mender.mend();
    const drops = tables.listPending(account).map((table) => this.#drop(account, table));
    await this.#write(...drops, this.#settings.reset(account));
  }

  /** Writes changes in one batch; readers see them when it is written. */
  #write(...changes: readonly PendingChange[]): Promise<void> {
    const records = changes.flatMap((change) => change.records);
    return this.#parts.queue.add(records, () => {
      for (const { written } of changes) written();
    });
  }

  #drop(account: string, table: TableRecord): PendingChange {
    const { tables, cache, dead } = this.#parts;
    const { records, written } = tables.drop(account, table);
    const dropped = () => {
      written();
      cache.drop(entityPrefix(account, table.id));
      dead.drop(account, table.id);
    };
    return { records, written: dropped };
  }

  answers(): boolean {
    return this.#parts.engine.getSync(formatKey) !== undefined;
  }

  async checkWrites(): Promise<void> {
    const { queue, mender } = this.#parts;
    await (queue.isTorn ? mender.mend() : this.#checkWritable?.());
  }

  get cacheBytes(): number {
    return this.#parts.cache.bytes;
  }

  /** Resolves when no dropped table waits to be swept, and nothing is being compacted. */
  swept(): Promise<void> {
    return this.#parts.dead.settled();
  }

  async close(): Promise<void> {
    const { mender, dead, queue, engine } = this.#parts;
    await mender.stop();
    await dead.stop();
    await queue.drain();
    await engine.close();
  }
}
