import type { KeptId, KeptKind, KeptState, KeptStates } from '../../snapshots.js';
import type { TableSelection } from '../../stored-parts.js';
import { timeOf } from '../schema/stamps.js';
import { reachOfSnapshot } from '../write/order-of-arrival.js';
import { listKept, nextUndo, noteKept } from './branch-statements.js';
import type { PostgresSnapshotsParts } from './postgres-snapshots.js';
import { forgetSnapshot, putSnapshot } from './snapshot-rows.js';
import { type TakenState, takeState } from './take-state.js';

/** Keeps states as rows of the table of snapshots. */
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

  async nextNumber(): Promise<number> {
    return Number((await this.#parts.readers.run(nextUndo, [])).rows[0].number);
  }
}
