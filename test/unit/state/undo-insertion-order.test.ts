import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { cosmosTraits } from '../../../src/dialects/cosmos/traits.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { State } from '../../../src/state/state.js';
import { isRejection, type Store } from '../../../src/store/store.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { insert, keyAt } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

describe.each(grounds)('undo in tables in the order of insertion, in $engine with $cacheBytes bytes:', (ground) => {
  const name = 'cosmos';
  let tested: StoreUnderTest;
  let store: Store;
  let state: State;
  const reports: unknown[] = [];
  beforeEach(async () => {
    tested = await openTestStore(ground);
    store = tested.store();
    await store.openAccount(name, cosmosTraits);
    state = new State(store, new Accounts([{ name, keys: [...developmentAccount.keys] }]), (error) =>
      reports.push(error),
    );
    await store.createTable(name, 'People');
    for (const [at, row] of ['c', 'a', 'b'].entries()) {
      await store.openTable(name, 'People').commit([insert(keyAt(row), at)]);
    }
  });
  afterEach(async () => {
    state.stop();
    await tested.dispose();
    expect([...tested.reports, ...reports]).toEqual([]);
  });

  const texts = async () => {
    const page = await store.openTable(name, 'People').readPage({ ranges: [{}], rowsMax: 100 });
    return isRejection(page) ? page.reason : page.rows;
  };

  it.each([
    ['an emptied table', () => state.reset({ table: 'People' })],
    ['deleted entities', () => state.deleteEntities({ table: 'People', filter: 'N ge 0' })],
    ['an account', () => state.reset()],
  ] as const)('gives %s back in the same order, byte for byte', async (_, removal) => {
    const before = await texts();
    const { undo } = await removal();
    expect(await texts()).not.toEqual(before);
    await state.undo(undo);
    expect(await texts()).toEqual(before);
  });
});
