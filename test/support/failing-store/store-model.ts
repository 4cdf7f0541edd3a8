/** The numbers of a table's rows by row key, in the order of insertion. Never changed: a table that was written to is another object. */
export type TableModel = ReadonlyMap<string, number>;
export type AccountModel = ReadonlyMap<string, TableModel>;
/** The states of accounts, by name. */
export type AccountModels = ReadonlyMap<string, AccountModel>;

/** What a store must have, made of maps that are never changed. */
export interface StoreModel {
  readonly accounts: AccountModels;
  readonly snapshots: ReadonlyMap<string, AccountModels>;
  readonly kept: ReadonlyMap<string, AccountModels>;
  readonly branches: ReadonlySet<string>;
  /** Branches that have ended since the store was opened. */
  readonly ended: ReadonlySet<string>;
}

/** The state of an account that is named by a snapshot, or as it is. */
export interface StateName {
  readonly account: string;
  readonly snapshot?: string | undefined;
}

/** Something that a client asks of a store. */
export type Operation =
  | {
      readonly do: 'put';
      readonly account: string;
      readonly table: string;
      readonly rows: readonly string[];
      readonly number: number;
    }
  | {
      readonly do: 'insert';
      readonly account: string;
      readonly table: string;
      readonly row: string;
      readonly number: number;
    }
  | { readonly do: 'remove'; readonly account: string; readonly table: string; readonly row: string }
  | { readonly do: 'create' | 'drop' | 'empty'; readonly account: string; readonly table: string }
  | { readonly do: 'reset' | 'end branch'; readonly account: string }
  | { readonly do: 'take'; readonly snapshot: string; readonly accounts: readonly string[] }
  | {
      readonly do: 'restore';
      readonly snapshot: string;
      readonly from: string;
      readonly to: string;
      readonly id: string | undefined;
    }
  | { readonly do: 'forget'; readonly snapshot: string }
  | { readonly do: 'branch'; readonly account: string; readonly from: StateName }
  | { readonly do: 'begin'; readonly id: string; readonly accounts: readonly string[] }
  | { readonly do: 'revert' | 'discard'; readonly id: string }
  | { readonly do: 'freeze'; readonly state: StateName }
  | { readonly do: 'view' };

/** Returns the id of a kept state of some accounts: an operation that reverts has to name them. */
export function idOfKept(its: readonly string[]): string {
  return its.join(' and ');
}

/** Returns the accounts of a kept state. */
export function accountsOfKept(id: string): readonly string[] {
  return id.split(' and ');
}

/** A store with nothing in it. */
export const emptyModel: StoreModel = {
  ...{ accounts: new Map(), snapshots: new Map(), kept: new Map() },
  ...{ branches: new Set(), ended: new Set() },
};

/** What an operation makes of a store, and what it tells its client. */
export interface Outcome {
  readonly model: StoreModel;
  readonly answer: string;
}

const noAccount: AccountModel = new Map();

/** Returns a copy of a map with another entry; without it if the value is undefined. */
function withEntry<T>(map: ReadonlyMap<string, T>, key: string, value: T | undefined): ReadonlyMap<string, T> {
  const copy = new Map(map);
  if (value === undefined) copy.delete(key);
  else copy.set(key, value);
  return copy;
}

/** Returns the state of an account; undefined if it is not there. */
export function stateOf(model: StoreModel, { account, snapshot }: StateName): AccountModel | undefined {
  return snapshot === undefined
    ? (model.accounts.get(account) ?? noAccount)
    : model.snapshots.get(snapshot)?.get(account);
}

function freeze({ accounts }: StoreModel, names: readonly string[]): AccountModels {
  return new Map(names.map((name) => [name, accounts.get(name) ?? noAccount]));
}

/** Does an operation in a model. */
export function apply(model: StoreModel, one: Operation): Outcome {
  const { accounts, snapshots, kept, branches, ended } = model;
  const unchanged = (answer: string): Outcome => ({ model, answer });
  const changed = (parts: Partial<StoreModel>, answer = 'done'): Outcome => ({ model: { ...model, ...parts }, answer });
  const withAccount = (name: string, tables: AccountModel | undefined) => withEntry(accounts, name, tables);
  const withTable = (account: string, table: string, rows: TableModel | undefined) =>
    withAccount(account, withEntry(accounts.get(account) ?? noAccount, table, rows));
  switch (one.do) {
    case 'put':
    case 'insert':
    case 'remove': {
      const found = accounts.get(one.account)?.get(one.table);
      if (!found) return unchanged('table-missing');
      const rows = new Map(found);
      if (one.do === 'put') for (const row of one.rows) rows.set(row, one.number);
      else if (one.do === 'insert' && rows.has(one.row)) return unchanged('entity-exists');
      else if (one.do === 'insert') rows.set(one.row, one.number);
      else if (!rows.delete(one.row)) return unchanged('entity-missing');
      return changed({ accounts: withTable(one.account, one.table, rows) });
    }
    case 'create':
      if (accounts.get(one.account)?.has(one.table)) return unchanged('table-exists');
      // As if the table was made just before the branch ended.
      return ended.has(one.account)
        ? unchanged('done')
        : changed({ accounts: withTable(one.account, one.table, new Map()) });
    case 'drop':
      if (!accounts.get(one.account)?.has(one.table)) return unchanged('table-missing');
      return changed({ accounts: withTable(one.account, one.table, undefined) });
    case 'empty':
      if (!accounts.get(one.account)?.has(one.table)) return unchanged('done');
      return changed({ accounts: withTable(one.account, one.table, new Map()) });
    case 'reset':
      return changed({ accounts: withAccount(one.account, undefined) });
    case 'take':
      return changed({ snapshots: withEntry(snapshots, one.snapshot, freeze(model, one.accounts)) });
    case 'forget':
      if (!snapshots.has(one.snapshot)) return unchanged('none');
      return changed({ snapshots: withEntry(snapshots, one.snapshot, undefined) });
    case 'restore': {
      const found = snapshots.get(one.snapshot)?.get(one.from);
      if (!found) return unchanged('none');
      const result = { ...model, accounts: withAccount(one.to, found) };
      if (one.id === undefined) return { model: result, answer: 'done' };
      return { model: { ...result, kept: withEntry(kept, one.id, freeze(model, [one.to])) }, answer: 'done' };
    }
    case 'branch': {
      const found = stateOf(model, one.from);
      if (!found) return unchanged('none');
      return changed({ accounts: withAccount(one.account, found), branches: new Set([...branches, one.account]) });
    }
    case 'end branch':
      if (!branches.has(one.account)) return unchanged('none');
      return changed({
        accounts: withAccount(one.account, undefined),
        branches: new Set([...branches].filter((name) => name !== one.account)),
        ended: new Set([...ended, one.account]),
      });
    case 'begin':
      return changed({ kept: withEntry(kept, one.id, freeze(model, one.accounts)) });
    case 'discard':
      return kept.has(one.id) ? changed({ kept: withEntry(kept, one.id, undefined) }) : unchanged('none');
    case 'revert':
      return revert(model, one.id);
    case 'freeze':
      return unchanged(stateOf(model, one.state) ? 'done' : 'none');
    case 'view':
      return unchanged('done');
  }
}

/** Restores the accounts of a kept state, which is gone then. */
function revert(model: StoreModel, id: string): Outcome {
  const found = model.kept.get(id);
  if (!found) return { model, answer: 'none' };
  const accounts = new Map([...model.accounts, ...found]);
  return { model: { ...model, accounts, kept: withEntry(model.kept, id, undefined) }, answer: 'done' };
}

/** Numbers table models, to tell those apart that have the same rows and were written at different times. */
export class TableNumbers {
  readonly #numbers = new WeakMap<TableModel, number>();
  #last = 0;

  /** Returns a text that two models share only if every operation finds the same in both. */
  identify({ accounts, snapshots, kept, branches, ended }: StoreModel): string {
    const tablesOf = (models: AccountModels | undefined) =>
      [...(models ?? [])]
        .map(([name, tables]) => [name, [...tables].map(([its, table]) => [its, this.#numberOf(table)]).sort()])
        .sort();
    return JSON.stringify([
      tablesOf(accounts),
      [...snapshots].map(([name, models]) => [name, tablesOf(models)]).sort(),
      [...kept].map(([id, models]) => [id, tablesOf(models)]).sort(),
      [...branches].sort(),
      [...ended].sort(),
    ]);
  }

  #numberOf(table: TableModel): number {
    const number = this.#numbers.get(table) ?? ++this.#last;
    this.#numbers.set(table, number);
    return number;
  }
}
