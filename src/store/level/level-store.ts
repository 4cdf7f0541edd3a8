import type { Change } from '../../entity/change.js';
import type { Clock } from '../../entity/clock.js';
import type { EntityKey, EntityText } from '../../entity/entity.js';
import type { AccessPolicy } from '../../protocol/access-policy.js';
import type { ServiceProperties } from '../../protocol/service-properties.js';
import type { QueryPlan } from '../../query/plan.js';
import { isRefusal, type Page, type Refusal, type Table, type TableStore } from '../store.js';
import { StoreError } from '../store-error.js';
import { checkRecords } from './check-records.js';
import { CommitQueue, type Engine } from './commit-queue.js';
import { DeadRecords } from './dead-records.js';
import { checkFormat, explainOpenFailure } from './format.js';
import { judgeChanges } from './judge-changes.js';
import { clockKey, encodeEntityKey, entityPrefix, formatKey } from './key-encoding.js';
import { EngineMender } from './mend-engine.js';
import type { PendingChange } from './pending-values.js';
import { ReadCache } from './read-cache.js';
import { readPage } from './read-page.js';
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

/** The store of design section 3: one LevelDB key per entity, one batch per group of commits. */
export class LevelStore implements TableStore {
  readonly #engine: Engine;
  readonly #tables: TableDirectory;
  readonly #clock: Clock;
  readonly #queue: CommitQueue;
  readonly #dead: DeadRecords;
  readonly #settings: ServiceSettings;
  readonly #cache: ReadCache;
  readonly #mender: EngineMender;
  readonly #checkWritable: (() => Promise<void>) | undefined;

  constructor(engine: Engine, tables: TableDirectory, options: LevelStoreOptions) {
    const { clock, durability = 'os', cacheBytes = 0, report = () => {}, checkRoom = async () => {} } = options;
    this.#engine = engine;
    this.#checkWritable = options.checkWritable;
    this.#tables = tables;
    this.#clock = clock;
    this.#cache = new ReadCache(cacheBytes);
    this.#dead = new DeadRecords(engine, { write: (changes) => this.#queue.add(changes), checkRoom, report });
    this.#queue = new CommitQueue(engine, {
      durability,
      keepView: cacheBytes > 0,
      written: (changes) => this.#cache.apply(changes),
      alongside: () => ({ key: clockKey, value: clock.last() }),
      failed: () => {
        tables.forgetPending();
        this.#settings.forgetPending();
      },
    });
    this.#settings = new ServiceSettings(engine);
    this.#mender = new EngineMender(engine, this.#queue, {
      checkRoom,
      pause: () => this.#dead.pause(),
      reload: async () => {
        await tables.load(engine);
        this.#settings.forget();
        this.#cache.clear();
        this.#dead.resume();
      },
    });
    this.#dead.resume();
  }

  async createTable(account: string, name: string): Promise<Table | Refusal> {
    if (this.#queue.isTorn) await this.#mender.mend();
    if (this.#tables.findPending(account, name)) return this.#refuse('table-exists');
    const table = newTable(name, this.#clock.nextTimestamp());
    await this.#write(this.#tables.put(account, table));
    return table;
  }

  async deleteTable(account: string, name: string): Promise<Table | Refusal> {
    if (this.#queue.isTorn) await this.#mender.mend();
    const table = this.#tables.findPending(account, name);
    if (!table) return this.#refuse('table-missing');
    await this.#write(this.#drop(account, table));
    return table;
  }

  /** Refuses once everything is written that the refusal may rest on: the caller must be able to read it. */
  async #refuse(reason: Refusal['reason'], at = 0): Promise<Refusal> {
    await this.#queue.settled();
    return { reason, at };
  }

  async reset(account: string): Promise<void> {
    if (this.#queue.isTorn) await this.#mender.mend();
    const drops = this.#tables.listPending(account).map((table) => this.#drop(account, table));
    await this.#write(...drops, this.#settings.reset(account));
  }

  /** Writes changes in one batch; readers see them when it is written. */
  #write(...changes: readonly PendingChange[]): Promise<void> {
    const records = changes.flatMap((change) => change.records);
    return this.#queue.add(records, () => {
      for (const { written } of changes) written();
    });
  }

  #drop(account: string, table: TableRecord): PendingChange {
    const { records, written } = this.#tables.drop(account, table);
    const dropped = () => {
      written();
      this.#cache.drop(entityPrefix(account, table.id));
      this.#dead.drop(account, table.id);
    };
    return { records, written: dropped };
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
    for (let readable = this.#mender.readable; readable; readable = this.#mender.readable) await readable;
    const table = this.#tables.find(account, name);
    if (!table) return { reason: 'table-missing', at: 0 };
    const source = { engine: this.#engine, queue: this.#queue, cache: this.#cache, mender: this.#mender };
    return readPage(source, entityPrefix(account, table.id), plan, isGone);
  }

  async commit(
    account: string,
    name: string,
    changes: readonly Change[],
  ): Promise<readonly (EntityText | null)[] | Refusal> {
    if (this.#queue.isTorn) await this.#mender.mend();
    const table = this.#tables.findPending(account, name);
    if (!table) return this.#refuse('table-missing');
    const prefix = entityPrefix(account, table.id);
    const judged = judgeChanges(prefix, changes, this.#clock, (key) => this.#readAhead(prefix, key));
    if (isRefusal(judged)) return this.#refuse(judged.reason, judged.at);
    this.#dead.note(prefix, judged.dead);
    await this.#queue.add(judged.records);
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
    const table = this.#tables.findPending(account, name);
    if (!table) return this.#refuse('table-missing');
    await this.#write(this.#tables.put(account, { ...table, policies }));
    return undefined;
  }

  readServiceProperties(account: string): ServiceProperties | Promise<ServiceProperties> {
    const known = this.#settings.known(account);
    if (known) return known;
    const readable = this.#mender.readable;
    return readable ? readable.then(() => this.readServiceProperties(account)) : this.#settings.read(account);
  }

  async writeServiceProperties(account: string, changed: Partial<ServiceProperties>): Promise<void> {
    if (this.#queue.isTorn) await this.#mender.mend();
    await this.#write(this.#settings.change(account, changed));
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

  /** Does nothing where a write can succeed. Opens the engine again after a failed write. Errors: why no write can. */
  async checkWrites(): Promise<void> {
    await (this.#queue.isTorn ? this.#mender.mend() : this.#checkWritable?.());
  }

  /** What the read cache holds. Unit: bytes, by estimate. */
  get cacheBytes(): number {
    return this.#cache.bytes;
  }

  /** Resolves when no dropped table waits to be swept away, and nothing is being compacted. */
  swept(): Promise<void> {
    return this.#dead.settled();
  }

  async close(): Promise<void> {
    await this.#mender.stop();
    await this.#dead.stop();
    await this.#queue.drain();
    await this.#engine.close();
  }
}
