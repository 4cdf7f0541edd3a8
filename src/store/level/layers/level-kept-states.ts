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
import { decide } from '../decide.js';
import { keptName } from '../engine/key-encoding.js';
import type { LevelParts } from '../level-parts.js';
import { LevelTable } from '../level-table.js';
import { dropLayers } from './replace-tables.js';
import { type FrozenAccount, freezeAccount, type KeptRecord, layersOf } from './snapshot-record.js';
import { revertTables } from './thaw-tables.js';

/** Keeps states of accounts by naming the layers of their tables, as snapshots do. */
export class LevelKeptStates implements KeptStates {
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

  end(id: KeptId, accounts: readonly string[], concerns?: TableSelection): Promise<void> {
    return this.#change(id, () => ({
      after: accounts.map((account) => freezeAccount(this.#parts, account, concerns)),
    }));
  }

  note(id: KeptId, note: string): Promise<void> {
    return this.#change(id, () => ({ note }));
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

  revertTables(id: KeptId, concerns?: TableSelection): Promise<TableReversal | undefined> {
    return decide(this.#parts, () => {
      const found = this.#parts.kept.findPending(keptName(id));
      if (!found?.after) return { result: found && { tables: 0, changed: tablesIn(found.accounts, concerns) } };
      const { changes, ...result } = revertTables(this.#parts, found.accounts, found.after, concerns);
      return { result, changes };
    });
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

  #change(id: KeptId, change: () => Partial<KeptRecord>): Promise<void> {
    const { kept } = this.#parts;
    return decide(this.#parts, () => {
      const found = kept.findPending(keptName(id));
      return { result: undefined, ...(found && { changes: [kept.put(keptName(id), { ...found, ...change() })] }) };
    });
  }
}

/** Returns the tables of accounts that are concerned. */
function tablesIn(accounts: readonly FrozenAccount[], concerns: TableSelection = () => true): TableReversal['changed'] {
  return accounts.flatMap(({ name: account, tables }) =>
    tables.filter(({ name }) => concerns(account, name)).map(({ name }) => ({ account, name })),
  );
}
