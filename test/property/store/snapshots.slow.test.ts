import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cosmosTraits } from '../../../src/dialects/cosmos/traits.js';
import { keyOf } from '../../../src/entity/stored/write-row.js';
import { type ServiceTraits, storageTraits } from '../../../src/protocol/service-traits.js';
import type { SnapshotStore } from '../../../src/store/snapshots.js';
import { isRejection, type Store } from '../../../src/store/store.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import { copyAccount } from '../../support/store/copy-account.js';
import { openTestStore } from '../../support/store/open-test-store.js';
import { keyAt, numberOf, remove, replace } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

const accounts = ['one', 'two'] as const;
const tables = ['Table', 'Other'] as const;

/** What a store must have: the numbers of the entities by row key, by table, by account. */
type Rows = Map<string, number>;
type Account = Map<string, Rows>;
interface Model {
  readonly accounts: Map<string, Account>;
  readonly snapshots: Map<string, Map<string, Account>>;
}

const copyOf = (account: Account | undefined): Account =>
  new Map([...(account ?? [])].map(([name, rows]) => [name, new Map(rows)]));

const account = fc.constantFrom(...accounts);
const table = fc.constantFrom(...tables);
// Keys that the service sorts in another order than their bytes are among them.
const row = fc.constantFrom('a', 'b', 'c', 'd', '\uFFFD', '\u{1F600}', '');
const snapshot = fc.constantFrom('s', 't', 'u');
const number = fc.nat(99);

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('put' as const), account, table, row, number }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('remove' as const), account, table, row }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), account, table }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), account, table }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('empty' as const), account, table }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reset' as const), account }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('take' as const), snapshot, account }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('restore' as const), snapshot, from: account, to: account }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('copy' as const), from: account, to: account }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), snapshot }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('read' as const), account, table }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Steps on one table that give it many layers. */
const one = { account: fc.constant('one' as const), table: fc.constant('Table' as const), row };
const deepStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('put' as const), ...one, number }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('remove' as const), ...one }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('take' as const), snapshot, account: one.account }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('read' as const), account: one.account, table: one.table }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
);
const create: Step = { do: 'create', account: 'one', table: 'Table' };

/** Histories of all kinds, and those with many layers. */
const steps = fc.oneof(
  fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }),
  fc.array(deepStep, { minLength: 20, maxLength: 60, size: 'max' }).map((all) => [create, ...all]),
);

/** Does a step in the model. */
function model({ accounts: all, snapshots }: Model, one: Step): void {
  const rowsOf = (name: string, of: string) => all.get(name)?.get(of);
  const put = (name: string, tablesOf: Account) => void all.set(name, tablesOf);
  if (one.do === 'put') rowsOf(one.account, one.table)?.set(one.row, one.number);
  else if (one.do === 'remove') rowsOf(one.account, one.table)?.delete(one.row);
  else if (one.do === 'create') {
    const tablesOf = all.get(one.account) ?? new Map<string, Rows>();
    put(one.account, tablesOf.has(one.table) ? tablesOf : tablesOf.set(one.table, new Map()));
  } else if (one.do === 'drop') all.get(one.account)?.delete(one.table);
  else if (one.do === 'empty') rowsOf(one.account, one.table)?.clear();
  else if (one.do === 'reset') all.delete(one.account);
  else if (one.do === 'take') snapshots.set(one.snapshot, new Map([[one.account, copyOf(all.get(one.account))]]));
  else if (one.do === 'restore') {
    const found = snapshots.get(one.snapshot)?.get(one.from);
    if (found) put(one.to, copyOf(found));
  } else if (one.do === 'copy') put(one.to, copyOf(all.get(one.from)));
  else if (one.do === 'forget') snapshots.delete(one.snapshot);
}

/** Does a step in the store. */
async function act(store: Store, one: Step): Promise<void> {
  const snapshots = store.snapshots as SnapshotStore;
  if (one.do === 'put') {
    await store.openTable(one.account, one.table).commit([replace(keyAt(one.row), one.number)]);
  } else if (one.do === 'remove') {
    await store.openTable(one.account, one.table).commit([remove(keyAt(one.row))]);
  } else if (one.do === 'create') await store.createTable(one.account, one.table);
  else if (one.do === 'drop') await store.deleteTable(one.account, one.table);
  else if (one.do === 'empty')
    await store.snapshots.exchange({ emptied: [{ account: one.account, names: [one.table] }] });
  else if (one.do === 'reset') await store.reset(one.account);
  else if (one.do === 'take') await snapshots.take(one.snapshot, [one.account]);
  else if (one.do === 'restore')
    await snapshots.exchange({ restored: { snapshot: one.snapshot, accounts: [{ from: one.from, to: one.to }] } });
  else if (one.do === 'copy') await copyAccount(snapshots, one.from, one.to);
  else if (one.do === 'forget') await snapshots.delete(one.snapshot);
  else if (one.do === 'read') await contentOf(store, one.account, one.table);
}

/** Returns the numbers of a table, in the order of its rows; undefined if it is missing. */
async function contentOf(store: Store, name: string, of: string) {
  const page = await store.openTable(name, of).readPage({ ranges: [{}], rowsMax: 1000 });
  if (isRejection(page)) return undefined;
  return page.rows.map((text) => [keyOf(text, 'RowKey'), numberOf(text)]);
}

/** A map keeps the order of insertion, also when a key gets another value. */
function expectedOf({ accounts: all }: Model, { rowOrder }: ServiceTraits, name: string, of: string) {
  const rows = [...(all.get(name)?.get(of) ?? [])];
  if (!all.get(name)?.has(of)) return undefined;
  return rowOrder === 'key' ? rows.sort(([a], [b]) => (a < b ? -1 : 1)) : rows;
}

async function expectSame(store: Store, traits: ServiceTraits, expected: Model): Promise<void> {
  for (const name of accounts) {
    expect((await store.listTables(name)).map((one) => one.name).sort()).toEqual(
      [...(expected.accounts.get(name)?.keys() ?? [])].sort(),
    );
    for (const of of tables) {
      const rows = expectedOf(expected, traits, name, of);
      const single = await store.openTable(name, of).readEntity(keyAt('a'));
      if (!isRejection(single)) expect(numberOf(single)).toBe(expected.accounts.get(name)?.get(of)?.get('a'));
      expect(await contentOf(store, name, of)).toEqual(rows);
    }
  }
}

const services = [storageTraits, cosmosTraits];
const all = grounds.flatMap((ground) => services.map((traits) => ({ ...ground, traits })));

describe.each(all)(
  'a store with snapshots, in $engine with $cacheBytes bytes of cache, rows in order of $traits.rowOrder',
  ({ traits, ...ground }) => {
    it('has what a model of copies has, after any steps', async () => {
      await fc.assert(
        fc.asyncProperty(steps, fc.boolean(), async (history, together) => {
          const tested = await openTestStore(ground);
          const openAccounts = async () => {
            for (const name of accounts) await tested.store().openAccount(name, traits);
          };
          try {
            await openAccounts();
            const expected: Model = { accounts: new Map(), snapshots: new Map() };
            let asked: Promise<unknown>[] = [];
            const settle = async () => {
              await Promise.all(asked);
              asked = [];
            };
            for (const one of history) {
              model(expected, one);
              if (one.do === 'reopen') {
                await settle();
                await tested.store().swept();
                await tested.reopen();
                await openAccounts();
                await expectSame(tested.store(), traits, expected);
              } else {
                asked.push(act(tested.store(), one));
                // Steps that are asked for together share write batches. Their order is the same.
                if (!together) await settle();
              }
            }
            await settle();
            await expectSame(tested.store(), traits, expected);
            for (const name of expected.snapshots.keys()) {
              for (const from of accounts) {
                const last: Step = { do: 'restore', snapshot: name as 's', from, to: from };
                model(expected, last);
                await act(tested.store(), last);
              }
              await expectSame(tested.store(), traits, expected);
            }
            expect(tested.reports).toEqual([]);
          } finally {
            await tested.dispose();
          }
        }),
        { numRuns: runs(ground.engine === 'memory' ? 150 : 25) },
      );
    });
  },
);
