import { isDeepStrictEqual } from 'node:util';
import { storageTraits } from '../../../protocol/service-traits.js';
import { checkService } from '../../account-services.js';
import {
  type AccountState,
  type BranchRecord,
  type Exchange,
  type ExchangeResult,
  emptyState,
  type KeptId,
  type KeptState,
  type KeptStates,
  named,
  type SnapshotId,
  type SnapshotStore,
  type SnapshotSummary,
} from '../../snapshots.js';
import type { StoreView, TableSelection } from '../../stored-parts.js';
import { type Decision, decide } from '../decide.js';
import { keepService, replaceSettings } from '../directories/account-records.js';
import type { PendingChange } from '../directories/record-directory.js';
import type { TableRecord } from '../directories/table-directory.js';
import type { LevelParts } from '../level-parts.js';
import { openView } from './open-view.js';
import { dropLayers, emptyTables, replaceTables, resetAccount } from './replace-tables.js';
import {
  type FrozenAccount,
  type FrozenTable,
  freezeAccount,
  freezeTable,
  layersOf,
  type SnapshotRecord,
  snapshotKey,
} from './snapshot-record.js';

/** The number of ended branches to remember, for requests in flight. (Our choice: far more than end during one request.) */
const endedMax = 10_000;

/**
 * Takes and restores snapshots without a copy: a snapshot names the layers of its tables, which never change while it exists. The
 * first write to a table with shared rows puts a new layer above them.
 */
export class LevelSnapshots implements SnapshotStore {
  readonly #parts: LevelParts;
  readonly kept: KeptStates = {
    begin: async (id, accounts, concerns, note) => {
      await this.#take(id, accounts, concerns, note);
    },
    note: (id, note) =>
      decide(this.#parts, () => {
        const { snapshots } = this.#parts;
        const found = snapshots.findPending(snapshotKey(id));
        return { result: undefined, ...(found && { changes: [snapshots.put(snapshotKey(id), { ...found, note })] }) };
      }),
    list: async (kind) => this.#parts.snapshots.list().filter((one) => one.kind === kind) as readonly KeptState[],
    drop: (id) => this.#drop(id),
  };

  constructor(parts: LevelParts) {
    this.#parts = parts;
  }

  async take(name: string, accounts: readonly string[], concerns?: TableSelection): Promise<SnapshotSummary> {
    return summaryOf(await this.#take(named(name), accounts, concerns));
  }

  #take(
    { kind, id }: SnapshotId,
    accounts: readonly string[],
    concerns: TableSelection | undefined,
    note?: string,
  ): Promise<SnapshotRecord> {
    const { snapshots, clock } = this.#parts;
    return decide(this.#parts, () => {
      const frozen = accounts.map((account) => freezeAccount(this.#parts, account, concerns));
      const key = snapshotKey({ kind, id });
      const released = layersOf(snapshots.findPending(key));
      const at = clock.nextTimestamp();
      const record = { kind, id, at, accounts: frozen, ...(note !== undefined && { note }) };
      return { result: record, changes: [snapshots.put(key, record), ...dropLayers(this.#parts, released)] };
    });
  }

  exchange(exchange: Exchange, kept?: KeptId & { readonly note: string }): Promise<ExchangeResult | undefined> {
    return decide(this.#parts, () => exchangeTables(this.#parts, exchange, kept));
  }

  branch(branch: BranchRecord): Promise<number | undefined> {
    const { branches, services } = this.#parts;
    return decide(this.#parts, () => {
      const { from } = branch;
      const account =
        from.snapshot === emptyState ? freezeAccount(this.#parts, branch.account) : this.#stateOf(branch.from);
      if (!account) return { result: undefined };
      services.open(branch.account, services.traitsOf(from.account));
      const changes = [...thawAccount(this.#parts, account, branch.account), branches.put(branch.account, branch)];
      return { result: account.tables.length, changes };
    });
  }

  async branches(): Promise<readonly BranchRecord[]> {
    return this.#parts.branches.list();
  }

  async endBranch(account: string): Promise<boolean> {
    const { branches, ended, services } = this.#parts;
    let isEnding = false;
    try {
      return await decide(this.#parts, () => {
        if (!branches.findPending(account)) return { result: false };
        const changes = [...resetAccount(this.#parts, account), branches.remove(account)];
        isEnding = true;
        ended.add(account);
        const [first = ''] = ended;
        if (ended.size > endedMax) ended.delete(first);
        // Its tables can be read until then.
        const written = () => services.open(account, storageTraits);
        return { result: true, changes: [...changes, { records: [], written }] };
      });
    } catch (error) {
      if (isEnding) ended.delete(account);
      throw error;
    }
  }

  async freeze(state: AccountState): Promise<StoreView | undefined> {
    const { account } = state;
    const nameKey = (name: string) => this.#parts.services.nameKey(account, name);
    const viewed = this.#stateOf(state)?.tables.map((table) => ({
      ...{ account, nameKey: nameKey(table.name), table, layers: table.layers },
    }));
    return viewed && openView(this.#parts, viewed);
  }

  /** Returns the current account, or its state in a snapshot; undefined if there is none. */
  #stateOf({ account: name, snapshot }: AccountState): FrozenAccount | undefined {
    if (snapshot === undefined) return freezeAccount(this.#parts, name);
    return this.#parts.snapshots.findPending(snapshotKey(named(snapshot)))?.accounts.find((one) => one.name === name);
  }

  async list(): Promise<readonly SnapshotSummary[]> {
    return this.#parts.snapshots
      .list()
      .filter(({ kind }) => kind === 'named')
      .map(summaryOf);
  }

  delete(name: string): Promise<boolean> {
    return this.#drop(named(name));
  }

  #drop(id: SnapshotId): Promise<boolean> {
    const { snapshots } = this.#parts;
    return decide(this.#parts, () => {
      const key = snapshotKey(id);
      const found = snapshots.findPending(key);
      if (!found) return { result: false };
      return { result: true, changes: [snapshots.remove(key), ...dropLayers(this.#parts, layersOf(found))] };
    });
  }
}

function summaryOf({ id, at, accounts }: SnapshotRecord): SnapshotSummary {
  return { name: id, at, accounts: accounts.map((account) => ({ name: account.name, tables: account.tables.length })) };
}

/** Implements `SnapshotStore.exchange`. */
function exchangeTables(
  parts: LevelParts,
  { restored, reset = [], emptied = [] }: Exchange,
  kept: (KeptId & { readonly note: string }) | undefined,
): Decision<ExchangeResult | undefined> {
  const from = restored?.snapshot;
  const key = from && snapshotKey(typeof from === 'string' ? named(from) : from);
  const snapshot = key === undefined ? undefined : parts.snapshots.findPending(key);
  const used = typeof from === 'object' ? snapshot : undefined;
  const moves = (restored?.accounts ?? []).flatMap(({ from, to, concerns }) => {
    const frozen = snapshot?.accounts.find(({ name }) => name === from);
    return frozen ? [{ frozen, to, concerns }] : [];
  });
  if (moves.length < (restored?.accounts.length ?? 0) || (restored && !snapshot)) return { result: undefined };

  const emptiedTables = emptied.map(({ account, names }) => ({
    account,
    tables: names.flatMap((name) => parts.tables.findPending(account, name) ?? []),
  }));
  const freeze = (account: string, concerns?: TableSelection) => freezeAccount(parts, account, concerns);
  const before = [
    ...moves.map(({ to, concerns }) => freeze(to, concerns)),
    ...reset.map((account) => freeze(account)),
    ...emptiedTables.map(({ account, tables }) => {
      const keys = new Set(tables.map(({ name }) => name));
      return freeze(account, (_, name) => keys.has(name));
    }),
  ];
  const record = kept && { ...kept, at: parts.clock.nextTimestamp(), accounts: before };
  const released = record ? layersOf(parts.snapshots.findPending(snapshotKey(record))) : [];
  // First, so that its layers are not dropped with their tables.
  const begun = record ? [parts.snapshots.put(snapshotKey(record), record)] : [];
  const made = [
    ...moves.flatMap(({ frozen, to, concerns }) =>
      concerns ? thawTables(parts, frozen, to, concerns) : thawAccount(parts, frozen, to),
    ),
    ...reset.flatMap((account) => resetAccount(parts, account)),
    ...emptiedTables.flatMap(({ account, tables }) => emptyTables(parts, account, tables)),
  ];
  const after = moves.map(({ to, concerns }) => freeze(to, concerns));
  const dropped = used ? [parts.snapshots.remove(snapshotKey(used))] : [];
  const result = {
    removed: before.reduce((sum, { tables }) => sum + tables.length, 0),
    restored: after.reduce((sum, { tables }) => sum + tables.length, 0),
  };
  return { result, changes: [...begun, ...made, ...dropped, ...dropLayers(parts, [...released, ...layersOf(used)])] };
}

/** Replaces the tables of an account with frozen ones; with `concerns`, only the selected ones. */
function thawTables(
  parts: LevelParts,
  { tables: all, service }: Pick<FrozenAccount, 'tables' | 'service'>,
  account: string,
  concerns: TableSelection = () => true,
): PendingChange[] {
  const { tables, services } = parts;
  const frozen = all.filter(({ name }) => concerns(account, name));
  const stored = service ?? (frozen.length > 0 ? storageTraits.service : undefined);
  checkService(account, stored, services.traitsOf(account).service);
  const wanted = new Map(frozen.map((table) => [services.nameKey(account, table.name), table]));
  const dropped = tables.listPending(account).filter((table) => {
    if (!concerns(account, table.name)) return false;
    const name = services.nameKey(account, table.name);
    // An unchanged table costs nothing.
    return !isSame(account, table, wanted.get(name)) || !wanted.delete(name);
  });
  const kept = frozen.length > 0 ? keepService(parts, account) : [];
  return [...kept, ...replaceTables(parts, account, dropped, [...wanted.values()])];
}

/** Replaces the tables and the settings of an account with frozen ones. */
function thawAccount(parts: LevelParts, frozen: FrozenAccount, account: string): PendingChange[] {
  return [...thawTables(parts, frozen, account), replaceSettings(parts, account, frozen.settings)];
}

/** Whether a table equals its state in a snapshot: not written since, or missing in both. */
function isSame(account: string, found: TableRecord | undefined, frozen: FrozenTable | undefined): boolean {
  if (!found || !frozen) return found === undefined && frozen === undefined;
  return isDeepStrictEqual(inOrder(freezeTable(account, found)), inOrder(frozen));
}

function inOrder({ name, created, policies = [], layers }: FrozenTable): readonly unknown[] {
  return [name, created, policies, layers];
}
