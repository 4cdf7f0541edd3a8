import type { Change } from '../entity/change.js';
import type { Clock } from '../entity/clock.js';
import type { EntityKey, EntityText } from '../entity/entity.js';
import type { AccessPolicy } from '../protocol/access-policy.js';
import type { ServiceProperties } from '../protocol/service-properties.js';
import type { QueryPlan } from '../query/plan.js';
import { CommitQueue, type Engine, type RecordChange } from './commit-queue.js';
import { Compactor } from './compactor.js';
import { checkFormat, explainOpenFailure, StoreError } from './format.js';
import { GrowingPage } from './growing-page.js';
import { judgeChanges } from './judge-changes.js';
import {
  clockKey,
  encodeDroppedKey,
  encodeEntityKey,
  encodeRange,
  encodeTableKey,
  entityPrefix,
  formatKey,
} from './key-encoding.js';
import { EngineMender } from './mend-engine.js';
import { ReadCache, type StoredRange } from './read-cache.js';
import { type RangeReading, readRange } from './read-range.js';
import { ServiceSettings } from './service-settings.js';
import { SharedView } from './shared-view.js';
import { isRefusal, type Page, type Refusal, type Table, type TableStore } from './store.js';
import { Sweeper } from './sweeper.js';
import { newTable, TableDirectory, type TableRecord } from './table-directory.js';

/** What a store needs beside its engine. */
export interface LevelStoreOptions {
  readonly clock: Clock;
  /** How the place of the data is called in messages. */
  readonly location: string;
  /** Wait for the disk, not only for the operating system, before a write is acknowledged. */
  readonly fsync?: boolean;
  /** What the read cache may hold; none by default. Unit: bytes. */
  readonly cacheBytes?: number;
  /** Hears of faults in the background. */
  readonly report?: (error: unknown) => void;
  /** Whether the place was never used; where it was, an engine without data is a damaged one. */
  readonly isNew?: boolean;
  /** Fails while there is no room for the engine to be opened anew. */
  readonly checkRoom?: () => Promise<void>;
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

/** The store of design section 3: one LevelDB key per entity, one batch per group of commits. */
export class LevelStore implements TableStore {
  readonly #engine: Engine;
  readonly #tables: TableDirectory;
  readonly #clock: Clock;
  readonly #queue: CommitQueue;
  readonly #sweeper: Sweeper;
  readonly #compactor: Compactor;
  readonly #settings: ServiceSettings;
  readonly #cache: ReadCache;
  readonly #mender: EngineMender;

  constructor(engine: Engine, tables: TableDirectory, options: LevelStoreOptions) {
    const { clock, fsync = false, cacheBytes = 0, report = () => {}, checkRoom = async () => {} } = options;
    this.#engine = engine;
    this.#tables = tables;
    this.#clock = clock;
    this.#cache = new ReadCache(cacheBytes);
    this.#compactor = new Compactor(engine, report);
    this.#sweeper = new Sweeper(engine, (changes) => this.#queue.add(changes), report);
    this.#queue = new CommitQueue(engine, {
      sync: fsync,
      keepView: cacheBytes > 0,
      written: (changes) => this.#cache.apply(changes),
      alongside: () => ({ key: clockKey, value: clock.last() }),
      failed: async () => {
        const makeCurrent = await tables.read(engine).catch(report);
        return () => {
          this.#settings.forget();
          makeCurrent?.();
        };
      },
    });
    this.#settings = new ServiceSettings(engine, this.#queue);
    this.#mender = new EngineMender(engine, this.#queue, {
      checkRoom,
      reload: async () => {
        await tables.load(engine);
        this.#settings.forget();
        this.#cache.clear();
        this.#sweeper.start();
      },
    });
    this.#sweeper.start();
  }

  async createTable(account: string, name: string): Promise<Table | Refusal> {
    if (this.#queue.isTorn) await this.#mender.mend();
    if (this.#tables.find(account, name)) return this.#refuse('table-exists');
    const table = newTable(name, this.#clock.nextTimestamp());
    this.#tables.put(account, table);
    await this.#queue.add([{ key: encodeTableKey(account, name), value: JSON.stringify(table) }]);
    return table;
  }

  async deleteTable(account: string, name: string): Promise<Table | Refusal> {
    if (this.#queue.isTorn) await this.#mender.mend();
    const table = this.#tables.find(account, name);
    if (!table) return this.#refuse('table-missing');
    await this.#queue.add(this.#drop(account, table));
    this.#sweeper.start();
    return table;
  }

  /** A refusal may rest on writes that are still to come; whoever hears of it must be able to read them. */
  async #refuse(reason: Refusal['reason'], at = 0): Promise<Refusal> {
    await this.#queue.settled();
    return { reason, at };
  }

  async reset(account: string): Promise<void> {
    if (this.#queue.isTorn) await this.#mender.mend();
    const dropped = this.#tables.list(account).flatMap((table) => this.#drop(account, table));
    await this.#queue.add([...dropped, this.#settings.reset(account)]);
    this.#sweeper.start();
  }

  /** Has nobody find a table any more: the changes that keep it so. */
  #drop(account: string, { name, id }: TableRecord): RecordChange[] {
    this.#tables.delete(account, name);
    this.#cache.drop(entityPrefix(account, id));
    return [
      { key: encodeTableKey(account, name), value: null },
      { key: encodeDroppedKey(account, id), value: '' },
    ];
  }

  findTable(account: string, name: string): Table | undefined {
    return this.#tables.find(account, name);
  }

  listTables(account: string): readonly Table[] {
    return this.#tables.list(account);
  }

  readEntity(account: string, name: string, key: EntityKey): EntityText | undefined | Promise<EntityText | undefined> {
    const readable = this.#mender.readable;
    if (readable) return readable.then(() => this.readEntity(account, name, key));
    const table = this.#tables.find(account, name);
    if (!table) return undefined;
    const prefix = entityPrefix(account, table.id);
    return this.#readStored(prefix, encodeEntityKey(prefix, key));
  }

  /** An entity as it was last written. What the cache knows comes first, so that all reads agree. */
  #readStored(prefix: string, key: string): EntityText | undefined {
    const cached = this.#cache.get(prefix, key);
    // A thread hop costs more than the look-up, hence the synchronous read. Source: measurements.
    if (cached !== undefined) return cached ?? undefined;
    const { view } = this.#queue;
    return view ? this.#engine.getSync(key, { snapshot: view.snapshot }) : this.#engine.getSync(key);
  }

  async readPage(account: string, name: string, plan: QueryPlan, isGone?: () => boolean): Promise<Page | Refusal> {
    const readable = this.#mender.readable;
    if (readable) await readable;
    const table = this.#tables.find(account, name);
    if (!table) return { reason: 'table-missing', at: 0 };
    const prefix = entityPrefix(account, table.id);
    const ranges = plan.ranges.map((range) => encodeRange(prefix, range));
    const cached = this.#cache.readPage(prefix, ranges, plan);
    if (cached) return cached;

    const fill = this.#cache.startFill(prefix);
    // One look at the store for all ranges, lest a transaction be seen in part.
    const view = this.#queue.view?.hold() ?? (ranges.length > 1 ? new SharedView(this.#engine) : undefined);
    try {
      return await this.#scan(ranges, plan, { snapshot: view?.snapshot, isGone, fill });
    } finally {
      this.#cache.endFill(fill);
      view?.release();
    }
  }

  async #scan(ranges: readonly StoredRange[], { matches, rowsMax }: QueryPlan, reading: RangeReading): Promise<Page> {
    const page = new GrowingPage(rowsMax);
    for (const range of ranges) {
      const wanted = matches ? undefined : rowsMax + 1 - page.rows.length;
      for await (const chunk of readRange(this.#engine, range, { ...reading, rowsMax: wanted })) {
        for (const row of chunk) {
          if (matches && !matches(row)) continue;
          const full = page.add(row);
          if (full) return full;
        }
      }
    }
    return { rows: page.rows };
  }

  async commit(
    account: string,
    name: string,
    changes: readonly Change[],
  ): Promise<readonly (EntityText | null)[] | Refusal> {
    if (this.#queue.isTorn) await this.#mender.mend();
    const table = this.#tables.find(account, name);
    if (!table) return { reason: 'table-missing', at: 0 };
    const prefix = entityPrefix(account, table.id);
    const judged = judgeChanges(prefix, changes, this.#clock, (key) => this.#readAhead(prefix, key));
    if (isRefusal(judged)) return this.#refuse(judged.reason, judged.at);
    await this.#queue.add(judged.records);
    this.#compactor.note(prefix, judged.dead);
    return judged.records.map(({ value }) => value);
  }

  readAccessPolicies(account: string, name: string): readonly AccessPolicy[] | undefined {
    const table = this.#tables.find(account, name);
    return table && (table.policies ?? []);
  }

  async writeAccessPolicies(
    account: string,
    name: string,
    policies: readonly AccessPolicy[],
  ): Promise<Refusal | undefined> {
    if (this.#queue.isTorn) await this.#mender.mend();
    const table = this.#tables.find(account, name);
    if (!table) return { reason: 'table-missing', at: 0 };
    const changed: TableRecord = { ...table, policies };
    this.#tables.put(account, changed);
    await this.#queue.add([{ key: encodeTableKey(account, table.name), value: JSON.stringify(changed) }]);
    return undefined;
  }

  readServiceProperties(account: string): ServiceProperties {
    return this.#settings.read(account);
  }

  async writeServiceProperties(account: string, properties: ServiceProperties): Promise<void> {
    if (this.#queue.isTorn) await this.#mender.mend();
    return this.#settings.write(account, properties);
  }

  /** An entity as it will be when everything that waits is written. */
  #readAhead(prefix: string, key: string): EntityText | undefined {
    const pending = this.#queue.pending(key);
    return pending ? (pending.value ?? undefined) : this.#readStored(prefix, key);
  }

  /** Whether the engine answers a read. Errors: the engine's, and after `close`. */
  answers(): boolean {
    return this.#engine.getSync(formatKey) !== undefined;
  }

  /** What the read cache holds. Unit: bytes, by estimate. */
  get cacheBytes(): number {
    return this.#cache.bytes;
  }

  /** Resolves when no dropped table waits to be swept away. */
  swept(): Promise<void> {
    return this.#sweeper.settled();
  }

  async close(): Promise<void> {
    await this.#mender.stop();
    await this.#sweeper.stop();
    await this.#compactor.stop();
    await this.#queue.drain();
    await this.#engine.close();
  }
}
