import type { Clock } from '../../entity/clock.js';
import type { ServiceProperties } from '../../protocol/service-properties.js';
import type { ServiceTraits } from '../../protocol/service-traits.js';
import { type AccountRecord, AccountServices, checkService } from '../account-services.js';
import { type CommitListener, CommitListeners, type ListenedTexts } from '../commit-listeners.js';
import type { BranchRecord } from '../snapshots.js';
import type { Refusal, Store, Table } from '../store.js';
import { StoreError } from '../store-error.js';
import type { StoreReader, TableSelection } from '../stored-parts.js';
import { forgetService, keepService, storedService } from './account-records.js';
import { checkRecords } from './check-records.js';
import { ClockBound } from './clock-bound.js';
import { CommitQueue } from './commit-queue.js';
import { DeadRecords } from './dead-records.js';
import { dropLayers, dropTables } from './drop-tables.js';
import { EndedBranches } from './ended-branches.js';
import type { Engine } from './engine.js';
import { LayerFolder } from './fold-layers.js';
import { checkFormat, explainOpenFailure } from './format.js';
import { clockKey, formatKey } from './key-encoding.js';
import { LevelSnapshots } from './level-snapshots.js';
import { type Directories, type LevelParts, LevelTable, refuse } from './level-table.js';
import type { PendingChange } from './pending-values.js';
import { lowerFormat } from './raise-format.js';
import { ReadCache } from './read-cache.js';
import { readTables } from './read-folder.js';
import { RecordDirectory } from './record-directory.js';
import { EngineReopener } from './reopen-engine.js';
import { ServiceSettings } from './service-settings.js';
import type { SnapshotRecord } from './snapshot-record.js';
import { newTable, newTableId, TableDirectory, type TableRecord } from './table-directory.js';

/** What a store needs besides its engine. */
export interface LevelStoreOptions {
  readonly clock: Clock;
  /** The name of the place of the data in messages. */
  readonly location: string;
  /** Where an acknowledged write is stored: in the buffers of the operating system (the default), or on disk. */
  readonly durability?: 'os' | 'fsync';
  /** The maximum size of the read cache. Default: 0. Unit: bytes. */
  readonly cacheBytes?: number;
  /** Is called with errors of background work and of listeners. */
  readonly report?: (error: unknown) => void;
  /** Whether the place was never used. Otherwise an engine without data counts as damaged. */
  readonly isNew?: boolean;
  /** Throws while there is not enough free space to reopen or compact the engine. */
  readonly checkFreeSpace?: () => Promise<void>;
  /** Throws while no write can succeed. */
  readonly checkWritable?: () => Promise<void>;
}

/**
 * Opens a store on LevelDB, or on the engine in memory that has the same interface.
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
    const services = new AccountServices();
    const directories: Directories = {
      tables: new TableDirectory(services),
      accounts: new RecordDirectory<AccountRecord>('account', ({ account }) => account),
      snapshots: new RecordDirectory<SnapshotRecord>('snapshot', ({ name }) => name),
      branches: new RecordDirectory<BranchRecord>('branch', ({ account }) => account),
    };
    await loadDirectories(engine, directories);
    await lowerFormat(engine, directories);
    return new LevelStore(engine, { services, ...directories }, options);
  } catch (error) {
    await engine.close();
    throw error instanceof StoreError ? error : explainOpenFailure(error, options.location);
  }
}

async function loadDirectories(engine: Engine, directories: Directories): Promise<void> {
  for (const directory of Object.values(directories)) await directory.load(engine);
}

/** A store on LevelDB: one record per entity, and one write batch per group of commits. */
export class LevelStore implements Store {
  readonly #parts: LevelParts;
  readonly #settings: ServiceSettings;
  readonly #checkWritable: (() => Promise<void>) | undefined;

  readonly #folder: LayerFolder;
  readonly snapshots: LevelSnapshots;

  constructor(
    engine: Engine,
    { services, ...directories }: Directories & Pick<LevelParts, 'services'>,
    options: LevelStoreOptions,
  ) {
    const { clock, durability = 'os', cacheBytes = 0, report = () => {}, checkFreeSpace = async () => {} } = options;
    this.#checkWritable = options.checkWritable;
    this.#settings = new ServiceSettings(engine);
    const cache = new ReadCache(cacheBytes);
    const bound = new ClockBound(clock);
    const queue = new CommitQueue(engine, {
      durability,
      onWritten: (changes) => cache.apply(changes),
      extraRecord: () => bound.next(),
      onFailed: () => {
        bound.forget();
        for (const directory of Object.values(directories)) directory.clearPending();
        this.#settings.clearPending();
      },
    });
    const dead = new DeadRecords(engine, { write: (changes) => queue.add(changes), checkFreeSpace, report });
    const reopener = new EngineReopener(engine, queue, {
      checkFreeSpace,
      pause: async () => {
        await Promise.all([dead.pause(), this.#folder.pause()]);
      },
      reload: async () => {
        await loadDirectories(engine, directories);
        this.#settings.clear();
        cache.clear();
        dead.resume();
        this.#folder.resume();
      },
    });
    const listeners = new CommitListeners(report);
    this.#parts = {
      engine,
      clock,
      services,
      ...directories,
      ended: new EndedBranches(),
      queue,
      cache,
      dead,
      listeners,
      reopener,
    };
    const write = (...changes: readonly PendingChange[]) => this.#write(...changes);
    this.#folder = new LayerFolder(this.#parts, { write, report });
    this.snapshots = new LevelSnapshots(this.#parts, { settings: this.#settings, folder: this.#folder, write });
    dead.resume();
    this.#folder.wake();
  }

  openAccount(account: string, traits: ServiceTraits): void {
    const { services } = this.#parts;
    checkService(account, storedService(this.#parts, account), traits.service);
    services.open(account, traits);
  }

  async createTable(account: string, name: string): Promise<Table | Refusal> {
    const { queue, reopener, tables, clock, services, ended } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    if (tables.findPending(account, name)) return refuse(queue, { reason: 'table-exists', at: 0 });
    const table = newTable(name, clock.nextTimestamp(), services.traitsOf(account).rowOrder);
    // As if the table was made just before the branch ended.
    if (!ended.has(account)) await this.#write(...keepService(this.#parts, account), tables.put(account, table));
    return table;
  }

  async deleteTable(account: string, name: string): Promise<Table | Refusal> {
    const { queue, reopener, tables } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const table = tables.findPending(account, name);
    if (!table) return refuse(queue, { reason: 'table-missing', at: 0 });
    await this.#write(...this.#drop(account, table));
    return table;
  }

  openTable(account: string, name: string, source?: object): LevelTable {
    return new LevelTable(this.#parts, account, name, source);
  }

  nameKey(account: string, name: string): string {
    return this.#parts.services.nameKey(account, name);
  }

  listTables(account: string): readonly Table[] {
    return this.#parts.tables.list(account);
  }

  readServiceProperties(account: string): ServiceProperties | Promise<ServiceProperties> {
    const known = this.#settings.known(account);
    if (known) return known;
    const { readable } = this.#parts.reopener;
    return readable ? readable.then(() => this.readServiceProperties(account)) : this.#settings.read(account);
  }

  async writeServiceProperties(account: string, changed: Partial<ServiceProperties>): Promise<void> {
    const { queue, reopener, ended } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    if (ended.has(account)) return;
    await this.#write(...keepService(this.#parts, account), this.#settings.change(account, changed));
  }

  async reset(account: string): Promise<void> {
    const { queue, reopener, tables } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const drops = this.#drop(account, ...tables.listPending(account));
    await this.#write(...drops, this.#settings.reset(account), ...forgetService(this.#parts, account));
  }

  async emptyTables(account: string, names: readonly string[]): Promise<void> {
    const { queue, reopener, tables, clock } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const found = names.flatMap((name) => tables.findPending(account, name) ?? []);
    const drops = dropTables(this.#parts, account, found);
    const puts = found.map(({ layers: _, ...table }) =>
      tables.put(account, { ...table, id: newTableId(clock.nextTimestamp()) }),
    );
    const released = dropLayers(
      this.#parts,
      found.flatMap(({ layers = [] }) => layers),
    );
    await (found.length > 0 ? this.#write(...drops, ...puts, ...released) : queue.settled());
  }

  /** Writes changes in one batch. Readers see them when it is written. */
  #write(...changes: readonly PendingChange[]): Promise<void> {
    const records = changes.flatMap((change) => change.records);
    return this.#parts.queue.add(records, () => {
      for (const { written } of changes) written();
    });
  }

  /** Drops tables with all their rows. */
  #drop(account: string, ...tables: readonly TableRecord[]): readonly PendingChange[] {
    const drops = dropTables(this.#parts, account, tables);
    const released = tables.flatMap(({ layers = [] }) => layers);
    return [...drops, ...dropLayers(this.#parts, released)];
  }

  onCommit(listener: CommitListener, texts?: ListenedTexts): () => void {
    return this.#parts.listeners.add(listener, texts);
  }

  /** The format of the data as it is stored now. */
  get format(): string {
    return this.#parts.engine.getSync(formatKey) ?? '';
  }

  answers(): boolean {
    return this.#parts.engine.getSync(formatKey) !== undefined;
  }

  async checkWrites(): Promise<void> {
    const { queue, reopener } = this.#parts;
    await (queue.hasFailed ? reopener.reopen() : this.#checkWritable?.());
  }

  get cacheBytes(): number {
    return this.#parts.cache.bytes;
  }

  async openView(isWanted: TableSelection): Promise<StoreReader> {
    const { engine, reopener } = this.#parts;
    for (let readable = reopener.readable; readable; readable = reopener.readable) await readable;
    const snapshot = engine.snapshot();
    return { read: () => readTables(engine, isWanted, snapshot), close: () => snapshot.close() };
  }

  async swept(): Promise<void> {
    await this.#folder.settled();
    await this.#parts.dead.settled();
  }

  async close(): Promise<void> {
    const { reopener, dead, queue, engine } = this.#parts;
    await reopener.stop();
    await this.#folder.pause();
    await dead.stop();
    await queue.drain();
    await engine.close();
  }
}
