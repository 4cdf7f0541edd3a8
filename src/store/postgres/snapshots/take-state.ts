import type { SnapshotId, SnapshotSummary } from '../../snapshots.js';
import type { TableSelection } from '../../stored-parts.js';
import { notDone } from '../connection/failures.js';
import { type OrderOfArrival, reachOfSnapshot } from '../write/order-of-arrival.js';
import type { RunStatement, Transactions } from '../write/transactions.js';
import { copyRows, readAccounts, withTables } from './frozen-account.js';
import { putSnapshot } from './snapshot-rows.js';

/** What states are taken with. */
export interface TakingParts {
  readonly order: OrderOfArrival;
  readonly transactions: Transactions;
  /** Is called when there are rows to sweep. */
  readonly onDropped: () => void;
}

/** What to take. */
export interface TakenState {
  readonly id: SnapshotId;
  readonly accounts: readonly string[];
  /** Decides by account and name. Absent: all tables. */
  readonly concerns: TableSelection | undefined;
  /** Whether it fails if its connection is lost after its moment, instead of being taken again, of a later moment. */
  readonly isExact: boolean;
  /** A text that is kept with it. */
  readonly note?: string | undefined;
}

/** Copies the rows of accounts, with the writes that were asked for before and none of those that are asked for later. */
export function takeState(
  { order, transactions, onDropped }: TakingParts,
  { id, accounts, concerns, isExact, note }: TakenState,
): Promise<SnapshotSummary> {
  const writes = order.enter(accounts.map((account) => ({ account, concerns })));
  let isSeen = false;
  const make = async (run: RunStatement) => {
    if (isSeen && isExact) throw notDone();
    const found = await readAccounts(run, accounts);
    // The transaction keeps seeing this moment. Another one would not: later writes may be done by then.
    isSeen = true;
    writes.leave();
    const concerned = found.map((account) => withTables(account, (name) => concerns?.(account.name, name) ?? true));
    const { copies, last } = await copyRows(run, concerned);
    return putSnapshot(run, id, { accounts: copies, last, note });
  };
  const take = async () => {
    await writes.entered;
    const taken = await transactions.run({ sees: 'one-moment', make });
    onDropped();
    return taken;
  };
  // Calls for one snapshot are made in their order.
  return order.run(reachOfSnapshot(id), take).finally(writes.leave);
}
