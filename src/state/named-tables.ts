import type { TableStore } from '../store/store.js';
import type { TableSelection } from '../store/stored-parts.js';

/** Names tables: one, those with a prefix, or, by account, those of a list in the form in which names are compared. */
export interface NamedTables {
  readonly table?: string | undefined;
  readonly tablePrefix?: string | undefined;
  readonly names?: readonly (readonly [account: string, tables: readonly string[]])[];
}

/** Returns which tables a target concerns; undefined if it concerns whole accounts. */
export function concernsOf(
  { table, tablePrefix, names }: NamedTables,
  store: Pick<TableStore, 'nameKey'>,
): TableSelection | undefined {
  const keyOf = (account: string, name: string) => store.nameKey(account, name);
  if (names !== undefined) {
    const keys = new Map(names.map(([account, tables]) => [account, new Set(tables)]));
    return (account, name) => keys.get(account)?.has(keyOf(account, name)) === true;
  }
  if (table !== undefined) return (account, name) => keyOf(account, name) === keyOf(account, table);
  if (tablePrefix === undefined) return undefined;
  return (account, name) => keyOf(account, name).startsWith(keyOf(account, tablePrefix));
}
