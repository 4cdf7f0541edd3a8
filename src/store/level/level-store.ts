import type { Clock } from '../../clock/clock.js';
import { defaultServiceProperties, type ServiceProperties } from '../../protocol/service-properties.js';
import type { ServiceTraits } from '../../protocol/service-traits.js';
import { checkService } from '../account-services.js';
import { type CommitListener, CommitListeners, type ListenerTexts, type TableListener } from '../commit-listeners.js';
import { isRejection, type Measurement, type MemoryUse, type Rejection, type Store, type Table } from '../store.js';
import type { StoreView, TableSelection } from '../stored-parts.js';
import { decide } from './decide.js';
import { keepService, pendingSettings, replaceSettings, storedService } from './directories/account-records.js';
import { layersOfTable, newTable } from './directories/table-directory.js';
import { DeadRecords } from './engine/dead-records.js';
import type { Engine, RecordChange } from './engine/engine.js';
import { EngineGate } from './engine/engine-gate.js';
import { clockKey, formatKey } from './engine/key-encoding.js';
import { EngineReopener } from './engine/reopen-engine.js';
import { proveWritable } from './free-space.js';
import { LevelSnapshots } from './layers/level-snapshots.js';
import { LayerMerger } from './layers/merge-layers.js';
import { openView } from './layers/open-view.js';
import { allLayers, replaceTables, resetAccount } from './layers/replace-tables.js';
import type { Directories, LevelParts, LevelStoreOptions } from './level-parts.js';
import { LevelTable } from './level-table.js';
import { type CommitLog, keptBytesMax } from './log/commit-log.js';
import { CommitQueue } from './log/commit-queue.js';
import { restartLog } from './log/prove-on-disk.js';
import { ReadCache } from './read/read-cache.js';

/** A store on LevelDB: one record per entity, and one commit log. */
export class LevelStore implements Store {
  readonly #parts: LevelParts;
  readonly #checkWritable: (() => Promise<void>) | undefined;

  readonly #merger: LayerMerger;
  readonly snapshots: LevelSnapshots;

  readonly #log: CommitLog;
  readonly #report: (error: unknown) => void;

  constructor(
    engine: Engine,
    log: CommitLog,
    { services, users, ...directories }: Directories & Pick<LevelParts, 'services' | 'users'>,
    options: LevelStoreOptions,
  ) {
    const { clock, durability = 'os', cacheBytes = 0, report = () => {}, checkFreeSpace = async () => {} } = options;
    this.#checkWritable = options.checkWritable;
    this.#log = log;
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
      checkFreeSpace,
      extraRecord: () => bound.next(),
      onFailed: () => {
        bound.forget();
        for (const directory of Object.values(directories)) directory.clearPending();
        users.recount(allLayers(directories));
      },
    });
    const dead = new DeadRecords(engine, {
      write: (changes) => queue.add(changes),
      catchUp: () => queue.catchUp(),
      gate,
      isHeld: (id) => users.isHeld(id),
      checkFreeSpace,
      report,
    });
    const reopener = new EngineReopener(engine, gate, queue, {
      checkDisk: async () => {
        log.checkAlone();
        await checkFreeSpace();
        if (options.log) await proveWritable(options.log.folder, options.log.files);
      },
      pause: async () => {
        await Promise.all([dead.pause(), this.#merger.pause()]);
      },
      resume: () => {
        dead.resume();
        this.#merger.resume();
      },
    });
    const listeners = new CommitListeners(report);
    this.#parts = {
      engine,
      gate,
      clock,
      services,
      users,
      ...directories,
      ended: new Set(),
      queue,
      cache,
      dead,
      listeners,
      reopener,
      heap: options.heap,
    };
    this.#merger = new LayerMerger(this.#parts, report);
    this.snapshots = new LevelSnapshots(this.#parts);
    users.onReleased = () => dead.wake();
    users.onLeft = () => this.#merger.wake();
    dead.resume();
    this.#merger.wake();
  }

  openAccount(account: string, traits: ServiceTraits): void {
    const { services } = this.#parts;
    checkService(account, storedService(this.#parts, account), traits.service);
    services.open(account, traits);
  }

  async createTable(account: string, name: string): Promise<Table | Rejection> {
    const { tables, clock, services, ended, heap, listeners } = this.#parts;
    heap?.check();
    const outcome = await decide<Table | Rejection>(this.#parts, () => {
      if (tables.findPending(account, name)) return { result: { reason: 'table-exists', at: 0 } };
      const table = newTable(name, clock.nextTimestamp(), services.traitsOf(account).rowOrder);
      // As if the table was created just before the branch ended.
      if (ended.has(account)) return { result: table };
      return { result: table, changes: [...keepService(this.#parts, account), tables.put(account, table)] };
    });
    if (!isRejection(outcome)) listeners.notifyOfTable({ kind: 'created', account, table: outcome.name });
    return outcome;
  }

  async deleteTable(account: string, name: string): Promise<Table | Rejection> {
    const outcome = await decide<Table | Rejection>(this.#parts, () => {
      const table = this.#parts.tables.findPending(account, name);
      if (!table) return { result: { reason: 'table-missing', at: 0 } };
      return { result: table, changes: replaceTables(this.#parts, account, [table]) };
    });
    if (!isRejection(outcome)) this.#parts.listeners.notifyOfTable({ kind: 'deleted', account, table: outcome.name });
    return outcome;
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
    return this.#parts.settings.find(account) ?? defaultServiceProperties;
  }

  writeServiceProperties(account: string, changed: Partial<ServiceProperties>): Promise<void> {
    const { ended } = this.#parts;
    return decide(this.#parts, () => {
      if (ended.has(account)) return { result: undefined };
      return {
        result: undefined,
        changes: [
          ...keepService(this.#parts, account),
          replaceSettings(this.#parts, account, { ...pendingSettings(this.#parts, account), ...changed }),
        ],
      };
    });
  }

  reset(account: string): Promise<void> {
    return decide(this.#parts, () => ({ result: undefined, changes: resetAccount(this.#parts, account) }));
  }

  onCommit(listener: CommitListener, texts?: ListenerTexts): () => void {
    return this.#parts.listeners.add(listener, texts);
  }

  onTable(listener: TableListener): void {
    this.#parts.listeners.addForTables(listener);
  }

  answers(): boolean {
    return this.#parts.engine.getSync(formatKey) !== undefined;
  }

  async checkWrites(): Promise<void> {
    const { queue, reopener, heap } = this.#parts;
    heap?.check();
    await (queue.hasFailed ? reopener.reopen() : this.#checkWritable?.());
  }

  memory(): MemoryUse | undefined {
    return this.#parts.heap?.use();
  }

  measure(): readonly Measurement[] {
    const use = this.memory();
    if (!use) return [];
    return [
      { name: 'heap_bytes', help: 'Memory in use, with garbage', kind: 'gauge', value: use.usedBytes },
      { name: 'heap_max_bytes', help: 'Memory at which the process would end', kind: 'gauge', value: use.maxBytes },
    ];
  }

  get cacheBytes(): number {
    return this.#parts.cache.bytes;
  }

  openView(isWanted: TableSelection): Promise<StoreView> {
    const wanted = [...this.#parts.tables.allPending()].filter(({ account, table }) => isWanted(account, table.name));
    return openView(
      this.#parts,
      wanted.map((one) => ({ ...one, layers: layersOfTable(one.account, one.table) })),
    );
  }

  async swept(): Promise<void> {
    await this.#merger.settled();
    await this.#parts.dead.settled();
    // After a failure the next write reopens the engine, which then catches up.
    if (!this.#parts.queue.hasFailed) await this.#parts.queue.catchUp();
  }

  async close(): Promise<void> {
    const { reopener, dead, queue, engine } = this.#parts;
    await reopener.stop();
    await this.#merger.pause();
    await dead.pause();
    await queue.stop();
    await this.#endLog();
    await engine.close();
    this.#log.close();
  }

  /** Gives the engine all commits. If the log is long, the engine proves that it has them. Failures leave the work to the next start. */
  async #endLog(): Promise<void> {
    const { queue, engine } = this.#parts;
    if (queue.hasFailed || engine.status !== 'open') return;
    try {
      await queue.catchUp();
      if (this.#log.bytes > keptBytesMax) await restartLog(engine, this.#log);
    } catch (error) {
      this.#report(error);
    }
  }
}

/**
 * The lead of the bound over the clock. Unit: milliseconds. (Our choice: a record for each batch costs a single write a tenth of its
 * time, and no process is killed and restarted within this time.)
 */
const leadMs = 100;

/** The stored upper bound of all Timestamps. The next start continues after it, so that a clock set back never issues an ETag twice. */
export class ClockBound {
  readonly #clock: Clock;
  /** Canonical UTC text without its `Z`, so that strings compare as instants. */
  #bound = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns a record for the next batch; undefined while the stored bound is ahead of the clock. */
  next(): RecordChange | undefined {
    const last = this.#clock.last();
    if (last.slice(0, -1) <= this.#bound) return undefined;
    const ahead = Date.parse(`${last.slice(0, 19)}Z`) + millisecondsOf(last) + leadMs;
    this.#bound = new Date(ahead).toISOString().replace(/\.?0*Z$/, '');
    return { key: clockKey, value: `${this.#bound}Z` };
  }

  /** Forgets the bound, because the batch with its record may not have been written. */
  forget(): void {
    this.#bound = '';
  }
}

/** Returns the part of a second in a Timestamp, rounded up. */
function millisecondsOf(timestamp: string): number {
  return Math.ceil(Number(`0${timestamp.slice(19, -1)}`) * 1000);
}
