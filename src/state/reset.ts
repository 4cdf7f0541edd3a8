import type { Store } from '../store/store.js';
import type { ResetReport, ResetTarget } from './contract.js';
import { deletedAtOnce, deleteEntities } from './delete-entities.js';
import { concernsOf, toEmpty } from './named-states.js';
import { StateFault } from './state-fault.js';
import type { Undos } from './undos.js';

/** Empties the target in each of the accounts. Errors: StateFault if no account has the table. */
export async function resetToEmpty(
  store: Store,
  undos: Undos,
  accounts: readonly string[],
  target: ResetTarget,
): Promise<Omit<ResetReport, 'to' | 'ms'>> {
  const { table, partition } = target;
  const concerns = concernsOf(target, store);
  const what = `reset ${describeTarget(target)}`;
  const matches = await Promise.all(
    accounts.map(async (account) => ({ account, names: await namesOf(store, account, target) })),
  );
  const tables = matches.reduce((sum, { names }) => sum + names.length, 0);
  if (table !== undefined && tables === 0) throw noTable(table);
  if (partition !== undefined && table !== undefined) {
    const range = {
      from: { partitionKey: partition, side: 'before' },
      to: { partitionKey: partition, side: 'after' },
    } as const;
    return undos.keep({ what: `${what}/${partition}`, accounts, table }, async () => {
      const plan = { ranges: [range], rowsMax: deletedAtOnce };
      const deleted = await Promise.all(
        matches.map(({ account }) => deleteEntities(store, { account, table }, plan, 'none')),
      );
      return { tables, entities: deleted.reduce<number>((sum, count = 0) => sum + count, 0) };
    });
  }
  const removed = concerns ? { emptied: matches } : { reset: accounts };
  const { undo } = (await undos.exchange({ what, accounts, table, tablePrefix: target.tablePrefix, ...removed })) ?? {};
  return { tables, ...(undo !== undefined && { undo }) };
}

/** Returns the fault of a missing table. */
export function noTable(name: string): StateFault {
  return new StateFault('missing', `There is no table ${name}.`);
}

/** Rejects contradictory targets. Errors: StateFault. */
export function checkTarget({ table, tablePrefix, partition, to }: ResetTarget): void {
  if (table !== undefined && tablePrefix !== undefined) {
    throw new StateFault('invalid', 'Name one table or a prefix, not both.');
  }
  if (partition !== undefined && table === undefined) throw new StateFault('invalid', 'A partition needs its table.');
  if (partition !== undefined && to !== undefined && to !== toEmpty) {
    throw new StateFault('invalid', 'A partition can only be emptied.');
  }
}

/** Returns the scope of a reset for people: `devstoreaccount1/Orders`. */
export function describeTarget({ account, table, tablePrefix }: ResetTarget): string {
  const tables = table ?? (tablePrefix === undefined ? undefined : `${tablePrefix}…`);
  return [account ?? 'all accounts', ...(tables === undefined ? [] : [tables])].join('/');
}

async function namesOf(store: Store, account: string, target: ResetTarget): Promise<readonly string[]> {
  const names = (await store.listTables(account)).map(({ name }) => name);
  const concerns = concernsOf(target, store);
  return concerns ? names.filter((name) => concerns(account, name)) : names;
}
