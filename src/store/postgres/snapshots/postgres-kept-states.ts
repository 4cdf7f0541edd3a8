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
import { timeOf } from '../schema/stamps.js';
import { reachOfSnapshot } from '../write/order-of-arrival.js';
import type { RunStatement } from '../write/transactions.js';
import { listKept, nextUndo, noteKept } from './branch-statements.js';
import { PostgresFrozenTables } from './frozen-tables.js';
import type { PostgresSnapshotsParts } from './postgres-snapshots.js';
import { revertEntities } from './revert-entities.js';
import { revertTables } from './revert-tables.js';
import { forgetSnapshot, putEnd, putSnapshot } from './snapshot-rows.js';
import { type TakenState, takeState } from './take-state.js';

/** Keeps states as rows of the table of snapshots, and gives back what was removed. Each reversal is one transaction. */
export class PostgresKeptStates implements KeptStates {
  readonly #parts: PostgresSnapshotsParts;

  constructor(parts: PostgresSnapshotsParts) {
    this.#parts = parts;
  }

  async begin(
    id: KeptId,
    accounts: readonly string[],
    concerns: TableSelection | undefined,
    note?: string,
  ): Promise<void> {
    const put: TakenState<unknown>['put'] = (run, to, copies, last) =>
      putSnapshot(run, to, { accounts: copies, last, note });
    await takeState(this.#parts, { id, accounts, concerns, isExact: true, put });
  }

  end(id: KeptId, accounts: readonly string[], concerns?: TableSelection): Promise<void> {
    return takeState(this.#parts, { id, accounts, concerns, isExact: true, put: putEnd });
  }

  async note({ kind, id }: KeptId, note: string): Promise<void> {
    const { order, directory } = this.#parts;
    await order.run(reachOfSnapshot({ kind, id }), () => directory.write(noteKept, [kind, id, note]));
  }

  async list(kind: KeptKind): Promise<readonly KeptState[]> {
    const { rows } = await this.#parts.readers.run(listKept, [kind]);
    const all = rows as { readonly id: string; readonly at: string; readonly note: string | null }[];
    return all.map(({ id, at, note }) => ({ kind, id, at: timeOf(at), ...(note !== null && { note }) }));
  }

  drop(id: KeptId): Promise<boolean> {
    const { order, transactions, onDropped } = this.#parts;
    return order.run(reachOfSnapshot(id), async () => {
      const isFound = await transactions.run({ sees: 'present', make: (run) => forgetSnapshot(run, id) });
      onDropped();
      return isFound;
    });
  }

  async revertTables(id: KeptId, concerns?: TableSelection): Promise<TableReversal | undefined> {
    const { transactions, services, onDropped } = this.#parts;
    const make = (run: RunStatement) => revertTables(run, services, { id, concerns });
    const report = await transactions.run({ sees: 'present', make });
    onDropped();
    return report;
  }

  async revertEntities(
    { account, table, before }: RevertedPlace,
    reversals: readonly EntityReversal[],
  ): Promise<readonly number[] | Refusal> {
    const { order, transactions, services, listeners } = this.#parts;
    const name = services.nameKey(account, table);
    if (!(before instanceof PostgresFrozenTables)) throw new TypeError('The tables are of another store.');
    // Listeners get the writes of this server in their order.
    return order.run({ account, name, alone: true }, async () => {
      const make = (run: RunStatement) => revertEntities(run, { account, name, before: before.account }, reversals);
      const done = await transactions.run({ sees: 'present', make });
      if (!done) return { reason: 'table-missing', at: 0 };
      const { changes, judged, left } = done;
      if (changes.length > 0) listeners.notify({ account, table: done.table, source: undefined }, changes, judged);
      return left;
    });
  }

  async nextNumber(): Promise<number> {
    return Number((await this.#parts.readers.run(nextUndo, [])).rows[0].number);
  }
}
