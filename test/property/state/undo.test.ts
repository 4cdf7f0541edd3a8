import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { keyOf } from '../../../src/entity/stored/write-row.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { State } from '../../../src/state/state.js';
import { isRejection, type Store } from '../../../src/store/store.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import { openTestStore } from '../../support/store/open-test-store.js';
import { insert, keyAt, remove, replace } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

const account = developmentAccount.name;
const names = ['One', 'Two'] as const;

const table = fc.constantFrom(...names);
const row = fc.constantFrom('a', 'b', 'c', 'd');
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), table, row, number: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), table, row }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('create' as const), table }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), table }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const call = fc.oneof(
  fc.record({ do: fc.constant('reset' as const), table: fc.option(table, { nil: undefined }) }),
  fc.record({ do: fc.constant('restore' as const) }),
  fc.record({ do: fc.constant('delete' as const), table, least: fc.nat(9) }),
);

/** The stored texts of the entities by row key, by table. */
type Contents = ReadonlyMap<string, ReadonlyMap<string, string>>;

async function contentsOf(store: Store): Promise<Contents> {
  const contents = new Map<string, ReadonlyMap<string, string>>();
  for (const { name } of await store.listTables(account)) {
    const page = await store.openTable(account, name).readPage({ ranges: [{}], rowsMax: 100 });
    if (isRejection(page)) throw new Error(page.reason);
    contents.set(name, new Map(page.rows.map((text) => [keyOf(text, 'RowKey'), text])));
  }
  return contents;
}

async function apply(store: Store, state: State, step: Step): Promise<void> {
  if (step.do === 'take') await state.takeSnapshot('base');
  else if (step.do === 'create') await store.createTable(account, step.table);
  else if (step.do === 'drop') await store.deleteTable(account, step.table);
  else {
    const key = keyAt(step.row);
    await store.openTable(account, step.table).commit([step.do === 'put' ? replace(key, step.number) : remove(key)]);
  }
}

describe.each(grounds)('undo, in $engine with $cacheBytes bytes of cache:', (ground) => {
  it('restores the tables that a call may change, and another undo takes that back', async () => {
    const histories = fc.record({
      first: fc.array(step, { maxLength: 12 }),
      call,
      since: fc.array(step, { maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(histories, async ({ first, call, since }) => {
        const tested = await openTestStore(ground);
        const store = tested.store();
        const state = new State(store, new Accounts([developmentAccount]), (error) => {
          throw error;
        });
        try {
          for (const name of names) await store.createTable(account, name);
          await store.openTable(account, 'One').commit(['a', 'b', 'c'].map((one, at) => insert(keyAt(one), at)));
          await state.takeSnapshot('base');
          for (const one of first) await apply(store, state, one);
          const before = await contentsOf(store);

          if (call.do === 'reset') {
            if (call.table !== undefined && !before.has(call.table)) return;
            await state.reset({ to: 'empty', ...(call.table !== undefined && { table: call.table }) });
          } else if (call.do === 'restore') await state.restoreSnapshot('base');
          else {
            if (!before.has(call.table)) return;
            await state.deleteEntities({ table: call.table, filter: `N ge ${call.least}` });
          }
          for (const one of since) await apply(store, state, one);
          const now = await contentsOf(store);
          await state.undo();
          const found = await contentsOf(store);
          const only = call.do === 'restore' ? undefined : call.table;
          for (const name of names) {
            expect([name, found.get(name)]).toEqual([name, (only ?? name) === name ? before.get(name) : now.get(name)]);
          }
          await state.undo((await state.undos.list()).at(-1)?.id);
          expect(await contentsOf(store)).toEqual(now);
        } finally {
          state.stop();
          await tested.dispose();
        }
      }),
      { numRuns: runs(ground.engine === 'level' ? 20 : 60) },
    );
  });
});
