import { lowerAscii } from '../../protocol/names.js';
import { storageTraits } from '../../protocol/service-traits.js';
import { checkService } from '../account-services.js';
import type { BranchRecord, RestoredAccount, SnapshotStore, SnapshotSummary } from '../snapshots.js';
import { forgetService, keepService } from './account-records.js';
import { dropLayers, dropTables } from './drop-tables.js';
import type { LayerFolder } from './fold-layers.js';
import { layeredFormat } from './format.js';
import { entityPrefix } from './key-encoding.js';
import type { LevelParts } from './level-table.js';
import type { PendingChange } from './pending-values.js';
import { raiseFormat } from './raise-format.js';
import type { ServiceSettings } from './service-settings.js';
import { type FrozenAccount, type FrozenTable, layersOf, type SnapshotRecord } from './snapshot-record.js';
import { newTableId, type TableRecord } from './table-directory.js';

/** What snapshots need besides the parts of their store. */
export interface LevelSnapshotsOptions {
  readonly settings: ServiceSettings;
  /** Is told when tables got more layers. */
  readonly folder: LayerFolder;
  /** Writes changes in one batch. Readers see them when it is written. */
  readonly write: (...changes: readonly PendingChange[]) => Promise<void>;
}

/**
 * Takes and restores snapshots by moving tables onto layers. Nothing is copied: a table that is frozen gets a new id, and
 * its rows so far become a layer below it.
 *
 * Each method decides everything in one turn and adds one batch. A commit also finds its table, judges and adds its batch
 * in one turn. So every commit is wholly before or after a snapshot, whatever tables it writes to.
 */
export class LevelSnapshots implements SnapshotStore {
  readonly #parts: LevelParts;
  readonly #settings: ServiceSettings;
  readonly #write: LevelSnapshotsOptions['write'];

  constructor(parts: LevelParts, { settings, folder, write }: LevelSnapshotsOptions) {
    this.#parts = parts;
    this.#settings = settings;
    this.#write = async (...changes) => {
      await write(...changes);
      folder.wake();
    };
  }

  async take(name: string, accounts: readonly string[]): Promise<SnapshotSummary> {
    const { snapshots, clock, queue, reopener } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const frozen = accounts.map((account) => this.#freeze(account));
    const released = layersOf(snapshots.findPending(name));
    const snapshot = { name, at: clock.nextTimestamp(), accounts: frozen.map(({ account }) => account) };
    const put = snapshots.put(snapshot);
    await this.#write(
      ...raiseFormat(this.#parts, layeredFormat),
      ...frozen.flatMap(({ changes }) => changes),
      put,
      ...dropLayers(this.#parts, released),
    );
    return summaryOf(snapshot);
  }

  async restore(name: string, accounts: readonly RestoredAccount[]): Promise<number | undefined> {
    const { snapshots, queue, reopener } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const snapshot = snapshots.findPending(name);
    const found = accounts.flatMap(({ from, ...move }) => {
      const account = snapshot?.accounts.find((one) => one.name === from);
      return account ? [{ ...move, account }] : [];
    });
    if (!snapshot || found.length < accounts.length) {
      await queue.settled();
      return undefined;
    }
    let tables = 0;
    const changes = found.flatMap(({ account, to, concerns }) => {
      const frozen = account.tables.filter((table) => concerns?.(lowerAscii(table.name)) ?? true);
      tables += frozen.length;
      return concerns ? this.#thaw({ ...account, tables: frozen }, to, concerns) : this.#thawAll(account, to);
    });
    await this.#write(...changes);
    return tables;
  }

  async copy(from: string, to: string): Promise<number> {
    const { queue, reopener } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const { account, changes } = this.#freeze(from);
    await this.#write(...raiseFormat(this.#parts, layeredFormat), ...changes, ...this.#thawAll(account, to));
    return account.tables.length;
  }

  async branch(branch: BranchRecord): Promise<number | undefined> {
    const { snapshots, branches, services, queue, reopener } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const { account: name, snapshot } = branch.from;
    const { account, changes } =
      snapshot === undefined
        ? this.#freeze(name)
        : { account: snapshots.findPending(snapshot)?.accounts.find((one) => one.name === name), changes: [] };
    if (!account) {
      await queue.settled();
      return undefined;
    }
    services.open(branch.account, services.traitsOf(name));
    await this.#write(
      ...raiseFormat(this.#parts, layeredFormat),
      ...changes,
      ...this.#thawAll(account, branch.account),
      branches.put(branch),
    );
    return account.tables.length;
  }

  async branches(): Promise<readonly BranchRecord[]> {
    return this.#parts.branches.list();
  }

  async endBranch(account: string): Promise<boolean> {
    const { branches, ended, services, queue, reopener } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    if (!branches.findPending(account)) {
      await queue.settled();
      return false;
    }
    const changes = [
      ...this.#thaw({ tables: [] }, account),
      this.#settings.forget(account),
      ...forgetService(this.#parts, account),
      branches.remove(account),
    ];
    ended.add(account);
    services.open(account, storageTraits);
    await this.#write(...changes);
    return true;
  }

  async list(): Promise<readonly SnapshotSummary[]> {
    return this.#parts.snapshots.list().map(summaryOf);
  }

  async delete(name: string): Promise<boolean> {
    const { snapshots, queue, reopener } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const snapshot = snapshots.findPending(name);
    if (!snapshot) {
      await queue.settled();
      return false;
    }
    const removed = snapshots.remove(name);
    await this.#write(removed, ...dropLayers(this.#parts, layersOf(snapshot)));
    return true;
  }

  /** Moves the rows of an account's tables into layers. Tables that have nothing but layers stay as they are. */
  #freeze(account: string): { readonly account: FrozenAccount; readonly changes: readonly PendingChange[] } {
    const { accounts, tables, clock, cache } = this.#parts;
    const changes: PendingChange[] = [];
    const frozen = tables.listPending(account).map((table): FrozenTable => {
      const { id, ...rest } = table;
      if (table.layers && tables.isUntouched(table)) return { ...rest, layers: table.layers };
      const layers = [{ account, id }, ...(table.layers ?? [])];
      const { records, written } = tables.put(account, { ...rest, id: newTableId(clock.nextTimestamp()), layers });
      const moved = () => {
        written();
        cache.drop(entityPrefix(account, id));
      };
      changes.push({ records, written: moved });
      return { ...rest, layers };
    });
    const service = accounts.findPending(account)?.service;
    const settings = this.#settings.readPending(account);
    return { account: { name: account, settings, tables: frozen, ...(service !== undefined && { service }) }, changes };
  }

  /** Makes an account what another one was. */
  #thawAll(frozen: FrozenAccount, account: string): PendingChange[] {
    return [...this.#thaw(frozen, account), this.#settings.replace(account, frozen.settings)];
  }

  /** Gives an account frozen tables in place of its own, or of those that a restore concerns. */
  #thaw(
    { tables: frozen, service }: Pick<FrozenAccount, 'tables' | 'service'>,
    account: string,
    concerns?: RestoredAccount['concerns'],
  ): PendingChange[] {
    const { tables, clock, services } = this.#parts;
    const stored = service ?? (frozen.length > 0 ? storageTraits.service : undefined);
    checkService(account, stored, services.traitsOf(account).service);
    const wanted = new Map(frozen.map((table) => [services.nameKey(account, table.name), table]));
    const dropped: TableRecord[] = [];
    for (const table of tables.listPending(account)) {
      const name = services.nameKey(account, table.name);
      if (concerns && !concerns(lowerAscii(table.name))) continue;
      // A table that was not changed keeps its id, and with it the rows that are cached.
      if (tables.isUntouched(table) && isSame(table, wanted.get(name))) wanted.delete(name);
      else dropped.push(table);
    }
    const drops = dropTables(this.#parts, account, dropped);
    const puts = [...wanted.values()].map((table) =>
      tables.put(account, { ...table, id: newTableId(clock.nextTimestamp()) }),
    );
    const released = dropped.flatMap(({ layers = [] }) => layers);
    const kept = frozen.length > 0 ? keepService(this.#parts, account) : [];
    return [...kept, ...drops, ...puts, ...dropLayers(this.#parts, released)];
  }
}

/** Returns whether an untouched table is as a snapshot has it. */
function isSame({ id: _, ...table }: TableRecord, frozen: FrozenTable | undefined): boolean {
  return JSON.stringify(inOrder(table)) === JSON.stringify(frozen && inOrder(frozen));
}

function inOrder({ name, created, policies, layers }: Omit<TableRecord, 'id'>): readonly unknown[] {
  return [name, created, policies ?? [], layers?.map(({ account, id }) => [account, id])];
}

function summaryOf({ name, at, accounts }: SnapshotRecord): SnapshotSummary {
  return { name, at, accounts: accounts.map((account) => ({ name: account.name, tables: account.tables.length })) };
}
