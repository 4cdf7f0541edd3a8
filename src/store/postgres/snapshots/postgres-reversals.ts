import type { TableSelection } from '../../copy/stored-parts.js';
import type {
  EntityReversal,
  ReversingStore,
  RevertedPlace,
  SnapshotNote,
  SnapshotSummary,
  TableReversal,
} from '../../snapshots.js';
import type { Refusal } from '../../store.js';
import { reachOfSnapshot } from '../write/order-of-arrival.js';
import type { RunStatement } from '../write/transactions.js';
import { listNotes, nextUndo, noteSnapshot } from './branch-statements.js';
import { holdTables, readAccounts, withTables } from './frozen-account.js';
import type { PostgresSnapshotsParts } from './postgres-snapshots.js';
import { revertEntities } from './revert-entities.js';
import { revertTables } from './revert-tables.js';
import { putSnapshot } from './snapshot-rows.js';

/** Gives back what was removed, through whichever server. Each reversal is one transaction. */
export class PostgresReversals implements ReversingStore {
  readonly #parts: PostgresSnapshotsParts;

  constructor(parts: PostgresSnapshotsParts) {
    this.#parts = parts;
  }

  keepTables(
    name: string,
    accounts: readonly string[],
    concerns: TableSelection = () => true,
  ): Promise<SnapshotSummary> {
    const { order, transactions } = this.#parts;
    // What is asked for in the same turn waits: only tables that are there can be held.
    const writes = order.enter(accounts);
    const make = async (run: RunStatement) => {
      const found = await readAccounts(run, accounts);
      const concerned = found.map((account) => withTables(account, (table) => concerns(account.name, table)));
      // No copies: the rows of a table that is dropped stay as long as a snapshot has its id.
      return putSnapshot(run, name, await holdTables(run, concerned), '0');
    };
    return order
      .run(reachOfSnapshot(name), async () => {
        await writes.entered;
        return transactions.run({ sees: 'present', make });
      })
      .finally(writes.leave);
  }

  async revertTables(before: string, after: string, concerns?: TableSelection): Promise<TableReversal | undefined> {
    const { transactions, services, onDropped } = this.#parts;
    const make = (run: RunStatement) => revertTables(run, services, { before, after, concerns });
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
    // Listeners get the writes of this server in their order.
    return order.run({ account, name, alone: true }, async () => {
      const make = (run: RunStatement) => revertEntities(run, { account, name, before }, reversals);
      const done = await transactions.run({ sees: 'present', make });
      if (!done) return { reason: 'table-missing', at: 0 };
      const { changes, judged, left } = done;
      if (changes.length > 0) listeners.notify({ account, table: done.table, source: undefined }, changes, judged);
      return left;
    });
  }

  async note(name: string, note: string): Promise<void> {
    const { order, directory } = this.#parts;
    await order.run(reachOfSnapshot(name), () => directory.write(noteSnapshot, [name, note]));
  }

  async notes(): Promise<readonly SnapshotNote[]> {
    return (await this.#parts.readers.run(listNotes, [])).rows as SnapshotNote[];
  }

  async nextNumber(): Promise<number> {
    return Number((await this.#parts.readers.run(nextUndo, [])).rows[0].number);
  }
}
