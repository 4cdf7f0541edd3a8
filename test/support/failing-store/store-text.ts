import type { AccountModels, StoreModel } from './store-model.js';

/** The order of the rows of tables. */
export type RowOrder = 'key' | 'insertion';

/** Tables that were read: the numbers of their rows, in their order. */
export type ReadTables = Iterable<readonly [string, Iterable<readonly [string, number]>]>;

/** Returns the content of an account as one text. The order of the rows counts if it is that of insertion. */
export function accountText(tables: ReadTables, order: RowOrder): string {
  const texts = [...tables].map(([name, rows]) => {
    const list = [...rows].map(([row, number]) => `${row}=${number}`);
    return `${name}(${order === 'key' ? list.sort() : list})`;
  });
  return texts.sort().join(' ');
}

/** Returns the content of accounts as one text. An account without tables is none. */
export function accountsText(accounts: Iterable<readonly [string, ReadTables]>, order: RowOrder): string {
  const texts = [...accounts].flatMap(([name, tables]) => {
    const text = accountText(tables, order);
    return text === '' ? [] : `${name}: ${text}`;
  });
  return texts.sort().join('\n');
}

/** Returns the content of frozen accounts as one text. Those without tables count. */
export function frozenText(accounts: Iterable<readonly [string, ReadTables]>, order: RowOrder): string {
  return [...accounts]
    .map(([name, tables]) => `${name}: ${accountText(tables, order)}`)
    .sort()
    .join('\n');
}

/** Returns everything that clients can see of a model as one text. */
export function modelText({ accounts, snapshots, kept, branches }: StoreModel, order: RowOrder): string {
  const textOf = (models: AccountModels) => frozenText(models, order);
  return storeText({
    accounts: accountsText(accounts, order),
    snapshots: [...snapshots].map(([name, models]) => [name, textOf(models)]),
    kept: [...kept].map(([id, models]) => [id, JSON.stringify([...models.keys()])]),
    branches: [...branches],
  });
}

/** What clients see of a store. */
export interface SeenStore {
  readonly accounts: string;
  readonly snapshots: readonly (readonly [string, string])[];
  readonly kept: readonly (readonly [string, string])[];
  readonly branches: readonly string[];
}

/** Returns everything that was seen of a store as one text. */
export function storeText({ accounts, snapshots, kept, branches }: SeenStore): string {
  const named = (kind: string, all: SeenStore['kept']) => all.map(([name, text]) => `${kind} ${name}:\n${text}`).sort();
  return [accounts, ...named('snapshot', snapshots), ...named('kept', kept), `branches ${[...branches].sort()}`].join(
    '\n\n',
  );
}
