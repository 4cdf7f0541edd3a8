import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { CosmosText } from '../../../src/dialects/cosmos/request-rules.js';
import { cosmosTraits } from '../../../src/dialects/cosmos/traits.js';
import { prepareInsert } from '../../../src/operations/write-entities.js';
import { State } from '../../../src/state/state.js';
import type { Store } from '../../../src/store/store.js';
import { transferOf } from '../../support/bodies/transfer-tools.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { account, commit, keyAt, replace } from '../../support/store/store-changes.js';

// Cosmos DB answers with the keys where the insert had them, so the store keeps their places. Source: cosmos 2.
describe('The places of the keys of an entity', () => {
  let tested: StoreUnderTest;
  let store: Store;
  let state: State;
  beforeEach(async () => {
    tested = await openTestStore({ engine: 'memory', cacheBytes: 0 });
    store = tested.store();
    await store.openAccount(account, cosmosTraits);
    await store.createTable(account, 'Table');
    state = new State(store, new Accounts([{ name: account, keys: ['a2V5'] }]), () => {});
    const change = prepareInsert(new CosmosText('{"N":1,"RowKey":"r","PartitionKey":"p"}').readEntity());
    if (change.kind === 'insert') await commit(store, 'Table', change);
  });
  afterEach(async () => {
    state.stop();
    await tested.dispose();
  });

  it.each([
    ['csv', 'PartitionKey,RowKey,N,N@type\np,r,1,Edm.Int32\n'],
    ['ndjson', '{"$table":"Table"}\n{"PartitionKey":"p","RowKey":"r","N":1}\n'],
  ] as const)('are not in an export to %s', async (format, expected) => {
    expect(await transferOf(store).exportText({ format, table: 'Table' })).toBe(expected);
  });

  it('do not count as a difference, and differences do not show them', async () => {
    await state.takeSnapshot('base');
    await commit(store, 'Table', replace(keyAt('r'), 1));
    expect((await state.diff({ from: 'base' })).differences).toEqual([]);

    await commit(store, 'Table', replace(keyAt('r'), 2));
    const [{ before, after } = {}] = (await state.diff({ from: 'base' })).differences as readonly {
      before?: object;
      after?: object;
    }[];
    expect([before, after].map((entity) => Object.keys(entity ?? {}).filter((name) => name !== 'odata.etag'))).toEqual([
      ['PartitionKey', 'RowKey', 'Timestamp', 'N'],
      ['PartitionKey', 'RowKey', 'Timestamp', 'N'],
    ]);
  });
});
