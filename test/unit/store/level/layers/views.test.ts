import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { cosmosTraits } from '../../../../../src/dialects/cosmos/traits.js';
import type { StoreView } from '../../../../../src/store/stored-parts.js';
import { type LevelUnderTest, openLevelOn } from '../../../../support/store/open-level-on.js';
import { account, commit, insert, keyAt, numberOf, replace } from '../../../../support/store/store-changes.js';

let tested: LevelUnderTest;
afterEach(() => tested.dispose());

const restored = { snapshot: 's', accounts: [{ from: account, to: account }] };

/** Reads a view to its end: the names of its tables, and the numbers of their rows. */
async function readAll(view: StoreView): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  for await (const part of view.read()) {
    if (part.kind === 'table') seen.push(part.name);
    else if (part.kind === 'entities') seen.push(...part.texts.map(numberOf));
  }
  await view.close();
  return seen;
}

/** Opens a store with a snapshot of a table A, whose row was changed after it, and a later table B. */
async function openChanged(): Promise<void> {
  tested = await openLevelOn('LevelDB, synced');
  const store = tested.store();
  await store.createTable(account, 'A');
  await commit(store, 'A', insert(keyAt('a'), 1));
  await store.snapshots.take('s', [account]);
  await commit(store, 'A', replace(keyAt('a'), 2));
  await store.createTable(account, 'B');
}

it('A view that is opened beside a restore shows one moment', async () => {
  await openChanged();
  const restoring = tested.store().snapshots.exchange({ restored });
  expect(await readAll(await tested.store().openView(() => true))).toEqual(['A', 1]);
  await restoring;
});

it('A view that is opened beside a restore that fails does not show it', async () => {
  await openChanged();
  const { fail } = tested.failNextSync();
  const restoring = tested.store().snapshots.exchange({ restored });
  const opened = tested.store().openView(() => true);
  const outcomes = Promise.allSettled([restoring, opened]);
  fail();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await readAll(await tested.store().openView(() => true))).toEqual(['A', 2, 'B']);
});

it.each([0, 1, 2, 3, 5, 8, 13])(
  'A view of a table in the order of insertion shows one moment while layers are merged, after %i turns',
  async (turns) => {
    tested = await openLevelOn('LevelDB');
    const store = tested.store();
    store.openAccount(account, cosmosTraits);
    await store.createTable(account, 'Table');
    const keys = Array.from({ length: 40 }, (_, row) => keyAt(`r${row}`));
    await commit(store, 'Table', ...keys.map((key) => insert(key, 1)));
    await store.snapshots.take('s', [account]);
    await commit(store, 'Table', ...keys.map((key) => replace(key, 2)));
    await store.snapshots.take('later', [account]);
    await commit(store, 'Table', ...keys.map((key) => replace(key, 3)));
    await store.swept();
    const view = await store.openView(() => true);
    await store.snapshots.delete('s');
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    const seen: unknown[] = [];
    for await (const part of view.read()) {
      if (part.kind !== 'entities') continue;
      if (seen.length === 0) {
        await store.snapshots.delete('later');
        await store.swept();
      }
      seen.push(...part.texts.map(numberOf));
    }
    await view.close();
    expect(seen).toEqual(keys.map(() => 3));
  },
);

it('A frozen branch of a Cosmos DB account can be read after the branch has ended', async () => {
  tested = await openLevelOn('memory');
  const store = tested.store();
  store.openAccount(account, cosmosTraits);
  await store.createTable(account, 'Table');
  await commit(store, 'Table', insert(keyAt('a'), 1));
  await store.snapshots.branch({ account: 'branch', from: { account }, key: '', expires: 0 });
  const frozen = await store.snapshots.freeze({ account: 'branch' });
  await store.snapshots.endBranch('branch');
  expect(frozen && (await readAll(frozen))).toEqual(['Table', 1]);
});
