import type { ServiceProperties } from '../../protocol/service-properties.js';
import type { ServiceTraits } from '../../protocol/service-traits.js';
import { checkService } from '../account-services.js';
import { type CommitListener, CommitListeners, type ListenedTexts } from '../commit-listeners.js';
import type { StoreReader, TableSelection } from '../copy/stored-parts.js';
import type { Refusal, Store, Table } from '../store.js';
import { ClockBound } from './clock-bound.js';
import { readTables, viewOf } from './copy/read-folder.js';
import { forgetService, keepService, storedService } from './directories/account-records.js';
import type { PendingChange } from './directories/pending-values.js';
import { newTable, newTableId, type TableRecord } from './directories/table-directory.js';
import { EndedBranches } from './ended-branches.js';
import { DeadRecords } from './engine/dead-records.js';
import type { Engine } from './engine/engine.js';
import { EngineGate } from './engine/engine-gate.js';
import { formatKey } from './engine/key-encoding.js';
import { EngineReopener } from './engine/reopen-engine.js';
import { dropLayers, dropTables } from './layers/drop-tables.js';
import { LayerFolder } from './layers/fold-layers.js';
import { LevelSnapshots } from './layers/level-snapshots.js';
import type { LevelStoreOptions } from './level-store-options.js';
import { type Directories, type LevelParts, LevelTable, refuse } from './level-table.js';
import { proveOnDisk } from './log/catch-up.js';
import { type CommitLog, MemoryLog } from './log/commit-log.js';
import { CommitQueue } from './log/commit-queue.js';
import { formatOf } from './needed-format.js';
import { ReadCache } from './read/read-cache.js';

/** A store on LevelDB: one record per entity, and one log of all commits. */
export class LevelStore implements Store {
  readonly #parts: LevelParts;
  readonly #checkWritable: (() => Promise<void>) | undefined;

  readonly #folder: LayerFolder;
  readonly snapshots: LevelSnapshots;

  readonly #log: CommitLog;
  readonly #onClosed: LevelStoreOptions['onClosed'];
  readonly #report: (error: unknown) => void;

  constructor(
    engine: Engine,
    log: CommitLog,
    { services, ...directories }: Directories & Pick<LevelParts, 'services'>,
    options: LevelStoreOptions,
  ) {
    const { clock, durability = 'os', cacheBytes = 0, report = () => {}, checkFreeSpace = async () => {} } = options;
    this.#checkWritable = options.checkWritable;
    this.#log = log;
    this.#onClosed = options.onClosed;
    this.#report = report;
    const cache = new ReadCache(cacheBytes);
    const bound = new ClockBound(clock);
    const gate = new EngineGate();
    const queue = new CommitQueue(engine, {
      gate,
      log,
      isSynced: durability === 'fsync',
      onCommitted: (changes) => cache.defer(changes),
      onCaughtUp: () => cache.applyDeferred(),
      extraRecord: () => bound.next(),
      onFailed: () => {
        bound.forget();
        for (const directory of Object.values(directories)) directory.clearPending();
      },
    });
    const dead = new DeadRecords(engine, {
      write: (changes) => queue.add(changes),
      catchUp: () => queue.catchUp(),
      gate,
      checkFreeSpace,
      report,
    });
    const reopener = new EngineReopener(engine, gate, queue, {
      checkFreeSpace,
      pause: async () => {
        await Promise.all([dead.pause(), this.#folder.pause()]);
      },
      resume: () => {
        dead.resume();
        this.#folder.resume();
      },
    });
    const listeners = new CommitListeners(report);
    this.#parts = {
      engine,
      gate,
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
    this.snapshots = new LevelSnapshots(this.#parts, { folder: this.#folder, write });
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

  openTable(account: string, name: string): LevelTable {
    return new LevelTable(this.#parts, account, name);
  }

  nameKey(account: string, name: string): string {
    return this.#parts.services.nameKey(account, name);
  }

  listTables(account: string): readonly Table[] {
    return this.#parts.tables.list(account);
  }

  readServiceProperties(account: string): ServiceProperties {
    return this.#parts.settings.read(account);
  }

  async writeServiceProperties(account: string, changed: Partial<ServiceProperties>): Promise<void> {
    const { queue, reopener, ended } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    if (ended.has(account)) return;
    await this.#write(...keepService(this.#parts, account), this.#parts.settings.change(account, changed));
  }

  async reset(account: string): Promise<void> {
    const { queue, reopener, tables } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const drops = this.#drop(account, ...tables.listPending(account));
    await this.#write(...drops, this.#parts.settings.reset(account), ...forgetService(this.#parts, account));
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

  /** The format that the data needs as it is now. While the store is open, the log may need a higher one. */
  get format(): string {
    return String(formatOf(this.#parts));
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
    const { engine, queue, reopener, tables } = this.#parts;
    for (let readable = reopener.readable; readable; readable = reopener.readable) await readable;
    const held = reopener.startView();
    const view = viewOf(engine, queue.tail, tables.all());
    return {
      async *read() {
        try {
          yield* readTables(engine, isWanted, view);
        } catch (error) {
          if (!held.isCut) throw error;
          const reason = 'A write to the disk failed, and the data had to be reopened before it was read to its end.';
          throw new Error(`${reason} Try again.`, { cause: error });
        }
      },
      close() {
        held.end();
        return view.snapshot.close();
      },
    };
  }

  async swept(): Promise<void> {
    await this.#folder.settled();
    await this.#parts.dead.settled();
    // After a failure the next write reopens the engine, which then gets what it lacks.
    if (!this.#parts.queue.hasFailed) await this.#parts.queue.catchUp();
  }

  async close(): Promise<void> {
    const { reopener, dead, queue, engine } = this.#parts;
    await reopener.stop();
    await this.#folder.pause();
    await dead.stop();
    await queue.stop();
    await this.#endLog();
    // After a failed write, what the engine has is not known.
    const format = queue.hasFailed || engine.status !== 'open' ? undefined : engine.getSync(formatKey);
    await engine.close();
    this.#log.close();
    if (format !== undefined) await this.#onClosed?.(format).catch(this.#report);
  }

  /** Proves that the engine has all commits, and gives it the format without a log. If it cannot be written, the next start does this. */
  async #endLog(): Promise<void> {
    const { queue, engine } = this.#parts;
    if (queue.hasFailed || engine.status !== 'open') return;
    try {
      await queue.catchUp();
      if (this.#log instanceof MemoryLog) return;
      await proveOnDisk(engine, this.#log.last);
      const durable: object = { sync: true };
      await engine.batch().put(formatKey, this.format).write(durable);
      this.#log.release(this.#log.last);
    } catch (error) {
      this.#report(error);
    }
  }
}
