import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultServiceProperties, type ServiceProperties } from '../../../../../src/protocol/service-properties.js';
import type { TableStore } from '../../../../../src/store/store.js';
import { type LevelUnderTest, openLevelOn } from '../../../../support/store/open-level-on.js';
import {
  account,
  commit,
  insert,
  keyAt,
  numberOf,
  readEntity,
  rowsOf,
} from '../../../../support/store/store-changes.js';

const hourMetrics: ServiceProperties['hourMetrics'] = { includeApis: true, retention: { days: 1 } };
const minuteMetrics: ServiceProperties['minuteMetrics'] = { includeApis: false, retention: { days: 2 } };
const policies = [{ id: 'reader', permission: 'r' }];

describe.each(['LevelDB, synced'] as const)('while a batch is not written, in %s,', (ground) => {
  let tested: LevelUnderTest;
  let store: TableStore;
  beforeEach(async () => {
    tested = await openLevelOn(ground, undefined, { cacheBytes: 1_000_000 });
    store = tested.store();
    await store.createTable(account, 'Table');
    await commit(store, 'Table', insert(keyAt('r'), 1));
    await rowsOf(store, 'Table');
  });
  afterEach(() => tested.dispose());

  const namesOf = async () => (await store.listTables(account)).map(({ name }) => name);
  const settings = async () => store.readServiceProperties(account);

  /** Begins a write, checks the store while the batch is held back, fails the batch, and checks again. */
  async function expectUnseen(write: () => Promise<unknown>, look: () => Promise<void>): Promise<void> {
    await look();
    const { fail } = tested.failNextSync();
    const writing = write();
    writing.catch(() => {});
    await look().finally(fail);
    await expect(writing).rejects.toThrow('no space left on device');
    await look();
    await commit(store, 'Table', insert(keyAt('next')));
    await look();
  }

  it('a table that is being created does not exist', async () => {
    await expectUnseen(
      async () => store.createTable(account, 'New'),
      async () => {
        expect(await namesOf()).toEqual(['Table']);
        expect(await store.openTable(account, 'New').find()).toBeUndefined();
        expect(await store.openTable(account, 'New').readAccessPolicies()).toBeUndefined();
        expect(await store.openTable(account, 'New').readPage({ ranges: [{}], rowsMax: 1 })).toMatchObject({
          reason: 'table-missing',
        });
      },
    );
  });

  it.each([
    ['dropped', () => store.deleteTable(account, 'Table')],
    ['dropped with all of its account', () => store.reset(account)],
  ] as const)('a table that is being %s exists with its rows', async (_, write) => {
    await expectUnseen(
      async () => write(),
      async () => {
        expect(await namesOf()).toEqual(['Table']);
        expect(await store.openTable(account, 'Table').find()).toMatchObject({ name: 'Table' });
        expect(await rowsOf(store, 'Table')).toContain('p/r');
        expect(numberOf(await readEntity(store, 'Table', keyAt('r')))).toBe(1);
      },
    );
  });

  it('access policies are the old ones', async () => {
    await store.openTable(account, 'Table').writeAccessPolicies(policies);
    await expectUnseen(
      async () => store.openTable(account, 'Table').writeAccessPolicies([]),
      async () => expect(await store.openTable(account, 'Table').readAccessPolicies()).toEqual(policies),
    );
  });

  it.each([
    ['written', () => store.writeServiceProperties(account, { minuteMetrics })],
    ['removed with all of the account', () => store.reset(account)],
  ] as const)('service properties that are being %s are the old ones', async (_, write) => {
    await store.writeServiceProperties(account, { hourMetrics });
    await expectUnseen(
      async () => write(),
      async () => expect(await settings()).toEqual({ ...defaultServiceProperties, hourMetrics }),
    );
  });

  it('service properties that were not read before are the old ones', async () => {
    await store.writeServiceProperties(account, { hourMetrics });
    await tested.reopen();
    store = tested.store();
    const { fail } = tested.failNextSync();
    const writing = store.writeServiceProperties(account, { minuteMetrics });
    expect(await settings()).toEqual({ ...defaultServiceProperties, hourMetrics });
    fail();
    await expect(writing).rejects.toThrow('no space left on device');
    expect(await settings()).toEqual({ ...defaultServiceProperties, hourMetrics });
  });

  it('writes are checked against the state after the batch', async () => {
    const outcomes = await Promise.all([
      store.createTable(account, 'New'),
      store.createTable(account, 'NEW'),
      commit(store, 'New', insert(keyAt('r'), 2)),
      store.deleteTable(account, 'New'),
      store.deleteTable(account, 'New'),
      store.openTable(account, 'New').writeAccessPolicies(policies),
      store.createTable(account, 'New'),
      store.openTable(account, 'New').writeAccessPolicies(policies),
    ]);
    expect(outcomes).toMatchObject([
      { name: 'New' },
      { reason: 'table-exists' },
      [expect.any(String)],
      { name: 'New' },
      { reason: 'table-missing' },
      { reason: 'table-missing' },
      { name: 'New' },
      undefined,
    ]);
    expect(await rowsOf(store, 'New')).toEqual([]);
    expect(await store.openTable(account, 'New').readAccessPolicies()).toEqual(policies);
  });

  it('two changes of service properties keep each other', async () => {
    await Promise.all([
      store.writeServiceProperties(account, { hourMetrics }),
      store.writeServiceProperties(account, { minuteMetrics }),
    ]);
    expect(await settings()).toEqual({ ...defaultServiceProperties, hourMetrics, minuteMetrics });
  });

  it('a reset also removes what the batch writes', async () => {
    await Promise.all([
      store.createTable(account, 'New'),
      store.writeServiceProperties(account, { hourMetrics }),
      store.reset(account),
    ]);
    expect(await namesOf()).toEqual([]);
    expect(await settings()).toEqual(defaultServiceProperties);
  });

  it.each([
    ['an entity', () => store.openTable(account, 'Table').commit([insert(keyAt('new'))])],
    ['access policies', () => store.openTable(account, 'Table').writeAccessPolicies(policies)],
    ['a second drop', () => store.deleteTable(account, 'Table')],
  ] as const)('%s is not rejected because of a drop that fails', async (_, write) => {
    const { fail } = tested.failNextSync();
    const dropping = store.deleteTable(account, 'Table');
    const writing = write();
    fail();
    for (const outcome of await Promise.allSettled([dropping, writing])) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { message: expect.stringContaining('no space left on device') },
      });
    }
    expect(await rowsOf(store, 'Table')).toEqual(['p/r']);
  });
});
