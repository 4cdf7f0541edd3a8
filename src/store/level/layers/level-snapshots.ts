import { storageTraits } from '../../../protocol/service-traits.js';
import type {
  AccountState,
  BranchRecord,
  Exchange,
  Exchanged,
  KeptId,
  KeptKind,
  KeptState,
  KeptStates,
  SnapshotStore,
  SnapshotSummary,
} from '../../snapshots.js';
import type { StoreView, TableSelection } from '../../stored-parts.js';
import { decide } from '../decide.js';
import { keptName } from '../engine/key-encoding.js';
import type { LevelParts } from '../level-parts.js';
import { exchangeTables, thawAccount } from './exchange-tables.js';
import { openView } from './open-view.js';
import { dropLayers, resetAccount } from './replace-tables.js';
import { type FrozenAccount, freezeAccount, layersOf, type SnapshotRecord } from './snapshot-record.js';

/** How many branches may end while a request runs that began before. Ours: far more than do. */
const endedMax = 10_000;

/**
 * Takes and restores snapshots without a copy: a snapshot names the layers of its tables, which do not change while it does. The first
 * write to a table whose own rows have another user gives it new ones above them.
 */
export class LevelSnapshots implements SnapshotStore {
  readonly #parts: LevelParts;
  readonly kept: LevelKeptStates;

  constructor(parts: LevelParts) {
    this.#parts = parts;
    this.kept = new LevelKeptStates(parts);
  }

  take(name: string, accounts: readonly string[], concerns?: TableSelection): Promise<SnapshotSummary> {
    const { snapshots, clock } = this.#parts;
    return decide(this.#parts, () => {
      const frozen = accounts.map((account) => freezeAccount(this.#parts, account, concerns));
      const released = layersOf(snapshots.findPending(name));
      const snapshot = { name, at: clock.nextTimestamp(), accounts: frozen };
      const changes = [snapshots.put(name, snapshot), ...dropLayers(this.#parts, released)];
      return { result: summaryOf(snapshot), changes };
    });
  }

  exchange(exchange: Exchange, kept?: KeptId & { readonly note: string }): Promise<Exchanged | undefined> {
    return decide(this.#parts, () => exchangeTables(this.#parts, exchange, kept));
  }

  branch(branch: BranchRecord): Promise<number | undefined> {
    const { branches, services } = this.#parts;
    return decide(this.#parts, () => {
      const account = this.#stateOf(branch.from);
      if (!account) return { result: undefined };
      services.open(branch.account, services.traitsOf(branch.from.account));
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
        // Not before: its tables can be read until then.
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

  /** Returns an account as it is, or as a snapshot has it; undefined if it is not there. */
  #stateOf({ account: name, snapshot }: AccountState): FrozenAccount | undefined {
    if (snapshot === undefined) return freezeAccount(this.#parts, name);
    return this.#parts.snapshots.findPending(snapshot)?.accounts.find((one) => one.name === name);
  }

  async list(): Promise<readonly SnapshotSummary[]> {
    return this.#parts.snapshots.list().map(summaryOf);
  }

  delete(name: string): Promise<boolean> {
    const { snapshots } = this.#parts;
    return decide(this.#parts, () => {
      const snapshot = snapshots.findPending(name);
      if (!snapshot) return { result: false };
      return { result: true, changes: [snapshots.remove(name), ...dropLayers(this.#parts, layersOf(snapshot))] };
    });
  }
}

function summaryOf({ name, at, accounts }: SnapshotRecord): SnapshotSummary {
  return { name, at, accounts: accounts.map((account) => ({ name: account.name, tables: account.tables.length })) };
}

/** Keeps states of accounts by naming the layers of their tables, as snapshots do. */
class LevelKeptStates implements KeptStates {
  readonly #parts: LevelParts;

  constructor(parts: LevelParts) {
    this.#parts = parts;
  }

  begin(id: KeptId, accounts: readonly string[], concerns: TableSelection | undefined, note?: string): Promise<void> {
    const { kept, clock } = this.#parts;
    return decide(this.#parts, () => {
      const released = layersOf(kept.findPending(keptName(id)));
      const frozen = accounts.map((account) => freezeAccount(this.#parts, account, concerns));
      const record = { kind: id.kind, id: id.id, at: clock.nextTimestamp(), accounts: frozen };
      const put = kept.put(keptName(id), { ...record, ...(note !== undefined && { note }) });
      return { result: undefined, changes: [put, ...dropLayers(this.#parts, released)] };
    });
  }

  note(id: KeptId, note: string): Promise<void> {
    const { kept } = this.#parts;
    return decide(this.#parts, () => {
      const found = kept.findPending(keptName(id));
      return { result: undefined, ...(found && { changes: [kept.put(keptName(id), { ...found, note })] }) };
    });
  }

  async list(kind: KeptKind): Promise<readonly KeptState[]> {
    return this.#parts.kept.list().filter((one) => one.kind === kind);
  }

  drop(id: KeptId): Promise<boolean> {
    const { kept } = this.#parts;
    return decide(this.#parts, () => {
      const found = kept.findPending(keptName(id));
      if (!found) return { result: false };
      return { result: true, changes: [kept.remove(keptName(id)), ...dropLayers(this.#parts, layersOf(found))] };
    });
  }
}
