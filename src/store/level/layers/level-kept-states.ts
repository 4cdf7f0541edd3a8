import type { TableSelection } from '../../copy/stored-parts.js';
import type {
  EntityReversal,
  KeptId,
  KeptKind,
  KeptState,
  KeptStates,
  RevertedPlace,
  TableReversal,
} from '../../snapshots.js';
import type { Refusal } from '../../store.js';
import type { PendingChange } from '../directories/pending-values.js';
import { keptName } from '../engine/key-encoding.js';
import type { LevelParts } from '../level-parts.js';
import { LevelTable } from '../level-table.js';
import { dropLayers } from './drop-tables.js';
import { type FrozenAccount, type KeptRecord, layersOf, type SnapshotRecord } from './snapshot-record.js';
import { revertTables } from './thaw-tables.js';

/** The name of the snapshot that older versions took before a load at the start. */
const oldLoad = '~before-start';

/** Keeps states of accounts by naming the layers of their tables, as snapshots do. */
export class LevelKeptStates implements KeptStates {
  readonly #parts: LevelParts;
  readonly #freeze: (account: string, concerns?: TableSelection) => FrozenAccount;
  readonly #write: (...changes: readonly PendingChange[]) => Promise<void>;

  constructor(
    parts: LevelParts,
    freeze: (account: string, concerns?: TableSelection) => FrozenAccount,
    write: (...changes: readonly PendingChange[]) => Promise<void>,
  ) {
    this.#parts = parts;
    this.#freeze = freeze;
    this.#write = write;
  }

  async begin(
    id: KeptId,
    accounts: readonly string[],
    concerns: TableSelection | undefined,
    note?: string,
  ): Promise<void> {
    const { kept, clock, queue, reopener } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const released = layersOf(kept.findPending(keptName(id)));
    const frozen = accounts.map((account) => this.#freeze(account, concerns));
    const at = clock.nextTimestamp();
    const put = kept.put({ kind: id.kind, id: id.id, at, accounts: frozen, ...(note !== undefined && { note }) });
    await this.#write(put, ...dropLayers(this.#parts, released));
  }

  end(id: KeptId, accounts: readonly string[], concerns?: TableSelection): Promise<void> {
    return this.#change(id, () => ({ after: accounts.map((account) => this.#freeze(account, concerns)) }));
  }

  note(id: KeptId, note: string): Promise<void> {
    return this.#change(id, () => ({ note }));
  }

  async list(kind: KeptKind): Promise<readonly KeptState[]> {
    return this.#parts.kept.list().filter((one) => one.kind === kind);
  }

  async drop(id: KeptId): Promise<boolean> {
    const { kept, queue, reopener } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const found = kept.findPending(keptName(id));
    if (found) await this.#write(kept.remove(keptName(id)), ...dropLayers(this.#parts, layersOf(found)));
    else await queue.settled();
    return found !== undefined;
  }

  async revertTables(id: KeptId, concerns?: TableSelection): Promise<TableReversal | undefined> {
    const { kept, queue, reopener } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const found = kept.findPending(keptName(id));
    if (!found?.after) {
      await queue.settled();
      return found && { tables: 0, changed: tablesIn(found.accounts, concerns) };
    }
    const { changes, ...report } = revertTables(this.#parts, found.accounts, found.after, concerns);
    await this.#write(...changes);
    return report;
  }

  revertEntities(
    { account, table }: RevertedPlace,
    reversals: readonly EntityReversal[],
  ): Promise<readonly number[] | Refusal> {
    return new LevelTable(this.#parts, account, table).revert(reversals);
  }

  /** Returns the accounts of a kept state; undefined if they are not there. */
  find({ moment, ...id }: KeptId & { readonly moment: 'before' | 'after' }): readonly FrozenAccount[] | undefined {
    const found = this.#parts.kept.findPending(keptName(id));
    return moment === 'before' ? found?.accounts : found?.after;
  }

  /**
   * Turns snapshots into kept states that older versions hid by names with `~`: the two of a call into its record. What such a
   * version could not finish is dropped.
   */
  async upgrade(): Promise<void> {
    const { snapshots, kept } = this.#parts;
    for (const snapshot of snapshots.list().filter(({ name }) => name.startsWith('~'))) {
      const record = this.#upgraded(snapshot);
      const puts = record ? [kept.put(record)] : [];
      const removed = snapshots.remove(snapshot.name);
      await this.#write(...puts, removed, ...dropLayers(this.#parts, layersOf(snapshot)));
    }
  }

  #upgraded({ name, at, accounts, note }: SnapshotRecord & { readonly note?: string }): KeptRecord | undefined {
    if (name === oldLoad) return { kind: 'load', id: 'start', at, accounts };
    const [, id] = /^~undo-([0-9]+)$/.exec(name) ?? [];
    if (id === undefined || note === undefined) return undefined;
    const after = this.#parts.snapshots.findPending(`${name}-after`)?.accounts;
    return { kind: 'undo', id, at, accounts, note, ...(after && { after }) };
  }

  async #change(id: KeptId, change: () => Partial<KeptRecord>): Promise<void> {
    const { kept, queue, reopener } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const found = kept.findPending(keptName(id));
    await (found ? this.#write(kept.put({ ...found, ...change() })) : queue.settled());
  }
}

/** Returns the tables of accounts that are concerned. */
function tablesIn(accounts: readonly FrozenAccount[], concerns: TableSelection = () => true): TableReversal['changed'] {
  return accounts.flatMap(({ name: account, tables }) =>
    tables.filter(({ name }) => concerns(account, name)).map(({ name }) => ({ account, name })),
  );
}
