import { lowerAscii } from '../protocol/names.js';
import type { Store } from '../store/store.js';
import type { ResetReport, ResetTarget } from './contract.js';
import { deleteEntities } from './delete-entities.js';
import { StateFault } from './state-fault.js';

/**
 * Empties what `target` names, in each of the accounts. Later requests find the new state.
 *
 * Errors: StateFault if the target makes no sense, or if no account has the table.
 */
export async function resetToEmpty(
  store: Store,
  accounts: readonly string[],
  target: ResetTarget,
): Promise<Omit<ResetReport, 'ms'>> {
  checkTarget(target);
  const { table, tablePrefix, partition } = target;
  const isNamed = table !== undefined || tablePrefix !== undefined;
  const found = await Promise.all(
    accounts.map(async (account) => ({ account, names: await namesOf(store, account, target) })),
  );
  const tables = found.reduce((sum, { names }) => sum + names.length, 0);
  if (table !== undefined && tables === 0) throw new StateFault('missing', `There is no table ${table}.`);
  if (partition !== undefined && table !== undefined) {
    const range = {
      from: { partitionKey: partition, side: 'before' },
      to: { partitionKey: partition, side: 'after' },
    } as const;
    const deleted = await Promise.all(
      found.map(({ account }) => deleteEntities(store, { account, table }, { ranges: [range] })),
    );
    return { tables, entities: deleted.reduce<number>((sum, count = 0) => sum + count, 0) };
  }
  await Promise.all(
    found.map(({ account, names }) => (isNamed ? store.emptyTables(account, names) : store.reset(account))),
  );
  return { tables };
}

function checkTarget({ table, tablePrefix, partition }: ResetTarget): void {
  if (table !== undefined && tablePrefix !== undefined) {
    throw new StateFault('invalid', 'Name one table or a prefix, not both.');
  }
  if (partition !== undefined && table === undefined) throw new StateFault('invalid', 'A partition needs its table.');
}

/** Returns the names of the tables that a reset concerns. */
async function namesOf(store: Store, account: string, { table, tablePrefix }: ResetTarget): Promise<readonly string[]> {
  const names = (await store.listTables(account)).map(({ name }) => name);
  if (table !== undefined) return names.filter((name) => lowerAscii(name) === lowerAscii(table));
  return names.filter((name) => lowerAscii(name).startsWith(lowerAscii(tablePrefix ?? '')));
}
