import type { SnapshotSummary } from '../../snapshots.js';
import { numberArray } from '../connection/array-parameters.js';
import { timeOf } from '../schema/stamps.js';
import { clock } from '../schema/statements.js';
import type { RunStatement } from '../write/transactions.js';
import type { FrozenAccount } from './frozen-account.js';

/**
 * Reads the accounts of a snapshot. Returns undefined if it is missing. One that is locked can be neither deleted nor replaced
 * until the end of the transaction.
 */
export async function readSnapshot(
  run: RunStatement,
  name: string,
  lock?: 'locked',
): Promise<readonly FrozenAccount[] | undefined> {
  const text = `SELECT accounts FROM snapshots WHERE name = $1${lock ? ' FOR SHARE' : ''}`;
  const [found] = await run<{ readonly accounts: string }>(text, [name]);
  return found && (JSON.parse(found.accounts) as readonly FrozenAccount[]);
}

/** Writes a snapshot, which replaces the one of the same name. `last` is the last stamp of its entities, in ticks. */
export async function putSnapshot(
  run: RunStatement,
  name: string,
  accounts: readonly FrozenAccount[],
  last: string,
): Promise<SnapshotSummary> {
  const [now] = await run<{ readonly at: string }>(`SELECT greatest(${clock}, $1::bigint + 1) AS at`, [last]);
  const at = now?.at ?? '';
  await forgetSnapshot(run, name);
  const ids = numberArray(accounts.flatMap(({ tables }) => tables.map(({ id }) => id)));
  const values = [name, at, JSON.stringify(accounts), ids];
  await run('INSERT INTO snapshots (name, at, accounts, ids) VALUES ($1, $2, $3, $4::bigint[])', values);
  return summaryOf(name, at, accounts);
}

/** Deletes a snapshot, and leaves its rows to the sweeper, but not those of tables. Returns whether there was one. */
export async function forgetSnapshot(run: RunStatement, name: string): Promise<boolean> {
  const gone = await run<{ readonly ids: string }>('DELETE FROM snapshots WHERE name = $1 RETURNING ids::text', [name]);
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
