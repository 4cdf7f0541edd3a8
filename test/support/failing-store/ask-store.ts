import { keyOf } from '../../../src/entity/stored/write-row.js';
import type { LevelStore } from '../../../src/store/level/level-store.js';
import { isRejection, type TableHandle } from '../../../src/store/store.js';
import type { StoreView } from '../../../src/store/stored-parts.js';
import { keyAt, numbered, numberOf, remove, replace } from '../store/store-changes.js';
import { accounts } from './failing-history.js';
import { accountsOfKept, type Operation, type StateName } from './store-model.js';
import { accountsText, accountText, frozenText, type ReadTables, type RowOrder, storeText } from './store-text.js';

/** Something that shows a store at one moment. */
export interface View {
  /** Returns what it shows, as a text. */
  readonly read: () => Promise<string>;
  readonly close: () => Promise<void>;
}

/** What a store answers. */
export interface Answer {
  readonly text: string;
  readonly view?: View | undefined;
}

/** Does an operation in a store. Returns its answer. */
export async function askStore(store: LevelStore, one: Operation, order: RowOrder): Promise<Answer> {
  const { snapshots } = store;
  const keptId = (name: string) => ({ kind: 'undo' as const, id: name });
  const answerOf = (found: unknown) => (found === undefined || found === false ? 'none' : 'done');
  const rejectionOf = (result: object | undefined) => (isRejection(result) ? result.reason : 'done');
  const filler = { name: 'Text', type: 'Edm.String' as const, json: JSON.stringify('x'.repeat(200)), valueBytes: 400 };
  const properties = (value: number, isLong: boolean) => [...numbered(value), ...(isLong ? [filler] : [])];
  switch (one.do) {
    case 'put': {
      const changes = one.rows.map((name) => ({
        ...replace(keyAt(name), one.number),
        properties: properties(one.number, one.rows.length < 10),
      }));
      return { text: rejectionOf(await store.openTable(one.account, one.table).commit(changes)) };
    }
    case 'insert':
      return {
        text: rejectionOf(
          await store
            .openTable(one.account, one.table)
            .commit([{ kind: 'insert', key: keyAt(one.row), properties: properties(one.number, true) }]),
        ),
      };
    case 'remove':
      return { text: rejectionOf(await store.openTable(one.account, one.table).commit([remove(keyAt(one.row))])) };
    case 'create':
      return { text: rejectionOf(await store.createTable(one.account, one.table)) };
    case 'drop':
      return { text: rejectionOf(await store.deleteTable(one.account, one.table)) };
    case 'empty':
      await store.snapshots.exchange({ emptied: [{ account: one.account, names: [one.table] }] });
      return { text: 'done' };
    case 'reset':
      await store.reset(one.account);
      return { text: 'done' };
    case 'take':
      await snapshots.take(one.snapshot, one.accounts);
      return { text: 'done' };
    case 'forget':
      return { text: answerOf(await snapshots.delete(one.snapshot)) };
    case 'restore': {
      const restored = { snapshot: one.snapshot, accounts: [{ from: one.from, to: one.to }] };
      const kept = one.id === undefined ? undefined : { ...keptId(one.id), note: JSON.stringify([one.to]) };
      return { text: answerOf(await snapshots.exchange({ restored }, kept)) };
    }
    case 'branch': {
      const { account: name, snapshot: its } = one.from;
      const from = { account: name, ...(its !== undefined && { snapshot: its }) };
      return { text: answerOf(await snapshots.branch({ account: one.account, from, key: '', expires: 0 })) };
    }
    case 'end branch':
      return { text: answerOf(await snapshots.endBranch(one.account)) };
    case 'begin':
      await snapshots.kept.begin(keptId(one.id), one.accounts, undefined, JSON.stringify(one.accounts));
      return { text: 'done' };
    case 'discard':
      return { text: answerOf(await snapshots.kept.drop(keptId(one.id))) };
    case 'revert': {
      const moves = accountsOfKept(one.id).map((name) => ({ from: name, to: name }));
      const made = await snapshots.exchange({ restored: { snapshot: keptId(one.id), accounts: moves } });
      return { text: made ? 'done' : 'none' };
    }
    case 'freeze': {
      const frozen = await freezeState(store, one.state);
      const view = frozen && {
        read: async () => accountText(await readFrozen(frozen), order),
        close: () => frozen.close(),
      };
      return { text: answerOf(frozen), view };
    }
    case 'view': {
      const view = await store.openView(() => true);
      return {
        text: 'done',
        view: { read: async () => accountsText(await readView(view), order), close: () => view.close() },
      };
    }
  }
}

async function freezeState(
  store: LevelStore,
  { account: name, snapshot: its }: StateName,
): Promise<StoreView | undefined> {
  return store.snapshots.freeze({
    account: name,
    ...(its !== undefined && { snapshot: its }),
  });
}

/** Returns everything that clients see of a store as one text. `names` are those of the accounts that it may have, but for snapshots. */
export async function readStore(store: LevelStore, names: readonly string[], order: RowOrder): Promise<string> {
  const read = async (name: StateName) => {
    const frozen = await freezeState(store, name);
    const tables = frozen && (await readFrozen(frozen));
    await frozen?.close();
    return tables;
  };
  const textOf = async (states: readonly StateName[]) => {
    const found: [string, ReadTables][] = [];
    for (const name of states) {
      const tables = await read(name);
      if (tables) found.push([name.account, tables]);
    }
    return frozenText(found, order);
  };
  const current: [string, ReadTables][] = [];
  for (const name of names) {
    const tables: [string, [string, number][]][] = [];
    for (const { name: itsName } of store.listTables(name)) {
      tables.push([itsName, await readPages(store.openTable(name, itsName))]);
    }
    current.push([name, tables]);
  }
  const taken = await store.snapshots.list();
  const snapshots: [string, string][] = [];
  for (const { name } of taken) {
    snapshots.push([name, await textOf(accounts.map((one) => ({ account: one, snapshot: name })))]);
  }
  const kept: [string, string][] = [];
  for (const { id: name, note = '' } of await store.snapshots.kept.list('undo')) kept.push([name, note]);
  const branches = (await store.snapshots.branches()).map((one) => one.account);
  return storeText({ accounts: accountsText(current, order), snapshots, kept, branches });
}

/** Reads a table: the numbers of its rows, by row key. */
async function readPages(handle: TableHandle): Promise<[string, number][]> {
  const page = await handle.readPage({ ranges: [{}], rowsMax: 10_000 });
  if (isRejection(page)) throw new Error(`a listed table is rejected: ${page.reason}`);
  return page.rows.map((text) => [keyOf(text, 'RowKey'), numberOf(text) ?? Number.NaN]);
}

async function readFrozen(frozen: StoreView): Promise<ReadTables> {
  return (await readView(frozen))[0]?.[1] ?? [];
}

async function readView(view: StoreView): Promise<[string, ReadTables][]> {
  const found = new Map<string, [string, [string, number][]][]>();
  let current: [string, number][] = [];
  for await (const part of view.read()) {
    if (part.kind === 'table') {
      current = [];
      found.set(part.account, [...(found.get(part.account) ?? []), [part.name, current]]);
    } else if (part.kind === 'entities') {
      for (const text of part.texts) current.push([keyOf(text, 'RowKey'), numberOf(text) ?? Number.NaN]);
    }
  }
  return [...found];
}
