import type { SnapshotId, SnapshotSummary } from '../../snapshots.js';
import { numberArray } from '../connection/array-parameters.js';
import { timeOf } from '../schema/stamps.js';
import { clock } from '../schema/statements.js';
import type { RunStatement } from '../write/transactions.js';
import type { FrozenAccount } from './frozen-account.js';

/**
 * Reads the accounts of a snapshot. Returns undefined if it is missing. One that is locked can be neither deleted nor replaced by others
 * until the end of the transaction.
 */
export async function readSnapshot(
  run: RunStatement,
  { kind, id }: SnapshotId,
  lock?: 'SHARE' | 'UPDATE',
): Promise<readonly FrozenAccount[] | undefined> {
  const text = `SELECT accounts FROM snapshots WHERE kind = $1 AND name = $2${lock ? ` FOR ${lock}` : ''}`;
  const [found] = await run<{ readonly accounts: string }>(text, [kind, id]);
  return found && (JSON.parse(found.accounts) as readonly FrozenAccount[]);
}

/** The content of a snapshot to write. */
interface WrittenSnapshot {
  readonly accounts: readonly FrozenAccount[];
  /** The last stamp of its entities, in ticks. Absent: the snapshot has the rows of tables. */
  readonly last?: string;
  readonly note?: string | undefined;
}

/** Writes a snapshot, which replaces the one of the same name. */
export async function putSnapshot(
  run: RunStatement,
  { kind, id }: SnapshotId,
  { accounts, last = '0', note }: WrittenSnapshot,
): Promise<SnapshotSummary> {
  const [now] = await run<{ readonly at: string }>(`SELECT greatest(${clock}, $1::bigint + 1) AS at`, [last]);
  const at = now?.at ?? '';
  await forgetSnapshot(run, { kind, id });
  const values = [kind, id, at, JSON.stringify(accounts), idsOf(accounts), note ?? null];
  await run(
    `INSERT INTO snapshots (kind, name, at, accounts, ids, note)
     VALUES ($1, $2, $3, $4, $5::bigint[], $6)`,
    values,
  );
  return summaryOf(id, at, accounts);
}

function idsOf(accounts: readonly FrozenAccount[]): string {
  return numberArray(accounts.flatMap(({ tables }) => tables.map(({ id }) => id)));
}

/** Deletes a snapshot, and leaves its rows to the sweeper, but not those of tables. Returns whether there was one. */
export async function forgetSnapshot(run: RunStatement, { kind, id }: SnapshotId): Promise<boolean> {
  const text = 'DELETE FROM snapshots WHERE kind = $1 AND name = $2 RETURNING ids::text';
  const gone = await run<{ readonly ids: string }>(text, [kind, id]);
  for (const { ids } of gone) {
    await run(
      `INSERT INTO dropped (table_id, at) SELECT q.id, ${clock} FROM unnest($1::bigint[]) q(id)
         WHERE NOT EXISTS (SELECT FROM tables WHERE id = q.id) ON CONFLICT (table_id) DO NOTHING`,
      [ids],
    );
  }
  return gone.length > 0;
}

/** Returns a snapshot as lists show it. `at` is in ticks. */
export function summaryOf(name: string, at: string, accounts: readonly FrozenAccount[]): SnapshotSummary {
  return { name, at: timeOf(at), accounts: accounts.map((one) => ({ name: one.name, tables: one.tables.length })) };
}
