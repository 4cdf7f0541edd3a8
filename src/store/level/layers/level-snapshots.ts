import { storageTraits } from '../../../protocol/service-traits.js';
import type { TableSelection } from '../../copy/stored-parts.js';
import type {
  AccountState,
  BranchRecord,
  Exchange,
  Exchanged,
  FrozenTables,
  KeptId,
  SnapshotStore,
  SnapshotSummary,
} from '../../snapshots.js';
import { forgetService } from '../directories/account-records.js';
import type { PendingChange } from '../directories/pending-values.js';
import type { LevelParts } from '../level-parts.js';
import { dropLayers } from './drop-tables.js';
import { exchangeTables } from './exchange-tables.js';
import { LevelFrozenTables } from './frozen-tables.js';
import { LevelKeptStates } from './level-kept-states.js';
import type { LayerMerger } from './merge-layers.js';
import { type FrozenAccount, freezeTable, layersOf, type SnapshotRecord } from './snapshot-record.js';
import { thawAccount, thawTables } from './thaw-tables.js';

/** What snapshots need besides the parts of their store. */
export interface LevelSnapshotsOptions {
  /** Is told when layers got or lost users. */
  readonly merger: LayerMerger;
  /** Writes changes in one batch. Readers see them when it is written. */
  readonly write: (...changes: readonly PendingChange[]) => Promise<void>;
}

/**
 * Takes and restores snapshots without a copy: a snapshot names the layers of its tables, which do not change while it does. The first
 * write to a table whose own rows have another user gives it new ones above them.
 *
 * Each method decides everything in one turn and adds one batch. A commit also finds its table, judges and adds its batch
 * in one turn. So every commit is wholly before or after a snapshot, whatever tables it writes to.
 */
export class LevelSnapshots implements SnapshotStore {
  readonly #parts: LevelParts;
  readonly #write: LevelSnapshotsOptions['write'];
  readonly kept: LevelKeptStates;

  constructor(parts: LevelParts, { merger, write }: LevelSnapshotsOptions) {
    this.#parts = parts;
    this.#write = async (...changes) => {
      await write(...changes);
      merger.wake();
    };
    this.kept = new LevelKeptStates(parts, (account, concerns) => this.#freeze(account, concerns), this.#write);
  }

  async take(name: string, accounts: readonly string[], concerns?: TableSelection): Promise<SnapshotSummary> {
    const { snapshots, clock, queue, reopener } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const frozen = accounts.map((account) => this.#freeze(account, concerns));
    const released = layersOf(snapshots.findPending(name));
    const snapshot = { name, at: clock.nextTimestamp(), accounts: frozen };
    const put = snapshots.put(snapshot);
    await this.#write(put, ...dropLayers(this.#parts, released));
    return summaryOf(snapshot);
  }

  async exchange(exchange: Exchange, kept?: KeptId & { readonly note: string }): Promise<Exchanged | undefined> {
    const { queue, reopener } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const made = exchangeTables(this.#parts, (account, concerns) => this.#freeze(account, concerns), exchange, kept);
    await (made ? this.#write(...made.changes) : queue.settled());
    return made?.exchanged;
  }

  async branch(branch: BranchRecord): Promise<number | undefined> {
    const { branches, services, queue, reopener } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const account = this.#stateOf(branch.from);
    if (!account) {
      await queue.settled();
      return undefined;
    }
    services.open(branch.account, services.traitsOf(branch.from.account));
    await this.#write(...thawAccount(this.#parts, account, branch.account), branches.put(branch));
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
      ...thawTables(this.#parts, { tables: [] }, account),
      this.#parts.settings.forget(account),
      ...forgetService(this.#parts, account),
      branches.remove(account),
    ];
    ended.add(account);
    services.open(account, storageTraits);
    await this.#write(...changes);
    return true;
  }

  async freeze(state: AccountState): Promise<FrozenTables | undefined> {
    const account = this.#stateOf(state);
    const frozen = account && new LevelFrozenTables(this.#parts, account);
    // What was decided before is part of the state.
    await this.#parts.queue.settled();
    return frozen;
  }

  /** Returns an account as it is, or as a snapshot or a kept state has it; undefined if it is not there. */
  #stateOf({ account: name, snapshot, kept }: AccountState): FrozenAccount | undefined {
    if (kept) return this.kept.find(kept)?.find((one) => one.name === name);
    if (snapshot === undefined) return this.#freeze(name);
    return this.#parts.snapshots.findPending(snapshot)?.accounts.find((one) => one.name === name);
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

  /** Returns an account as it is now. Nothing is written: its tables get rows of their own with their next write. */
  #freeze(account: string, concerns: TableSelection = () => true): FrozenAccount {
    const { accounts, tables } = this.#parts;
    const concerned = tables.listPending(account).filter(({ name }) => concerns(account, name));
    const service = accounts.findPending(account)?.service;
    return {
      name: account,
      settings: this.#parts.settings.readPending(account),
      tables: concerned.map((table) => freezeTable(account, table)),
      ...(service !== undefined && { service }),
    };
  }
}

function summaryOf({ name, at, accounts }: SnapshotRecord): SnapshotSummary {
  return { name, at, accounts: accounts.map((account) => ({ name: account.name, tables: account.tables.length })) };
}
