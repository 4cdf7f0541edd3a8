import { setImmediate as otherWork } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { etagOf } from '../../../src/entity/stored/entity.js';
import { isRejection, type TableHandle, type TableStore } from '../../../src/store/store.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import {
  account,
  commit,
  insert,
  keyAt,
  numberOf,
  readEntity,
  remove,
  replace,
  rowsOf,
} from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

describe.each(grounds)('the contract of the store, in $engine with $cacheBytes bytes of cache:', (ground) => {
  let tested: StoreUnderTest;
  let store: TableStore;
  beforeEach(async () => {
    tested = await openTestStore(ground);
    store = tested.store();
  });
  afterEach(async () => {
    expect(tested.reports).toEqual([]);
    await tested.dispose();
  });
  const namesOf = async (name = account) => (await store.listTables(name)).map((table) => table.name);

  describe('tables', () => {
    it('are found and listed regardless of letter case, with the name of their creation', async () => {
      for (const name of ['banana', 'Cherry', 'apple', 'Apple2']) await store.createTable(account, name);
      expect(await namesOf()).toEqual(['apple', 'Apple2', 'banana', 'Cherry']);
      expect(await store.openTable(account, 'CHERRY').find()).toMatchObject({ name: 'Cherry' });
      expect(await store.createTable(account, 'APPLE')).toEqual({ reason: 'table-exists', at: 0 });
    });

    it('have creation times, each later than the previous one', async () => {
      const first = await store.createTable(account, 'One');
      const second = await store.createTable(account, 'Two');
      if (isRejection(first) || isRejection(second)) throw new Error('both names are free');
      expect(first.created).toMatch(/^[0-9a-f]{16}$/);
      expect(second.created > first.created).toBe(true);
    });

    it('belong to their account', async () => {
      await store.createTable('a', 'Table');
      await store.createTable('ab', 'Table');
      await store.openTable('a', 'Table').commit([insert(keyAt('r'), 1)]);
      expect(await store.openTable('ab', 'Table').readEntity(keyAt('r'))).toBeUndefined();
      await store.deleteTable('a', 'table');
      expect(await namesOf('a')).toEqual([]);
      expect(await namesOf('ab')).toEqual(['Table']);
      expect(await namesOf('b')).toEqual([]);
    });

    it('are reported as missing if they do not exist', async () => {
      const missing = { reason: 'table-missing', at: 0 };
      expect(await store.deleteTable(account, 'None')).toEqual(missing);
      expect(await store.openTable(account, 'None').commit([insert(keyAt('r'))])).toEqual(missing);
      expect(await store.openTable(account, 'None').readPage({ ranges: [{}], rowsMax: 1 })).toEqual(missing);
      expect(await store.openTable(account, 'None').readEntity(keyAt('r'))).toEqual(missing);
      expect(await store.openTable(account, 'None').find()).toBeUndefined();
    });

    it('are created once if many clients create them concurrently', async () => {
      const attempts = ['Table', 'TABLE', 'table', 'tAbLe'].map((name) => store.createTable(account, name));
      const outcomes = await Promise.all(attempts);
      expect(outcomes.filter((outcome) => !isRejection(outcome))).toHaveLength(1);
      expect(await namesOf()).toHaveLength(1);
    });
  });

  describe('a table that is dropped', () => {
    it('frees its name immediately, for a new empty table', async () => {
      await store.createTable(account, 'Table');
      await commit(store, 'Table', insert(keyAt('r'), 1));
      await store.deleteTable(account, 'table');
      expect(await store.openTable(account, 'Table').find()).toBeUndefined();
      await store.createTable(account, 'TABLE');
      expect(await rowsOf(store, 'Table')).toEqual([]);
      await commit(store, 'Table', insert(keyAt('r'), 2));
      await tested.store().swept();
      expect(numberOf(await readEntity(store, 'Table', keyAt('r')))).toBe(2);
    });

    it('loses its rows, and no other table does', async () => {
      for (const name of ['Stays', 'Goes']) {
        await store.createTable(account, name);
        await commit(store, name, ...Array.from({ length: 1100 }, (_, at) => insert(keyAt(`r${at}`))));
      }
      await store.deleteTable(account, 'Goes');
      await tested.store().swept();
      expect(await rowsOf(store, 'Stays')).toHaveLength(1100);
    });

    it('keeps no concurrent write', async () => {
      await store.createTable(account, 'Table');
      const write = (at: number) => store.openTable(account, 'Table').commit([insert(keyAt(`r${at}`))]);
      const before = Array.from({ length: 30 }, (_, at) => write(at));
      const dropping = store.deleteTable(account, 'Table');
      const after = Array.from({ length: 30 }, (_, at) => write(at));
      for (const outcome of await Promise.all(before)) expect(isRejection(outcome)).toBe(false);
      for (const outcome of await Promise.all(after)) expect(outcome).toEqual({ reason: 'table-missing', at: 0 });
      expect(await dropping).toMatchObject({ name: 'Table' });
    });
  });

  describe('a handle', () => {
    const missing = { reason: 'table-missing', at: 0 };
    const everyRow = { ranges: [{}], rowsMax: 10 };
    /** Does every operation of a handle. */
    const outcomesOf = async (table: TableHandle) => ({
      found: await table.find(),
      entity: await table.readEntity(keyAt('r')),
      page: await table.readPage(everyRow),
      committed: await table.commit([insert(keyAt('s'))]),
      policies: await table.readAccessPolicies(),
      written: await table.writeAccessPolicies([]),
    });
    const allMissing = {
      found: undefined,
      entity: missing,
      page: missing,
      committed: missing,
      policies: undefined,
      written: missing,
    };

    it.each(['find', 'readEntity', 'readPage', 'commit', 'readAccessPolicies', 'writeAccessPolicies'] as const)(
      'whose first operation was %s stands for the table of that moment, not for a later one of its name',
      async (first) => {
        await store.createTable(account, 'Table');
        const table = store.openTable(account, 'Table');
        const operations = {
          find: () => table.find(),
          readEntity: () => table.readEntity(keyAt('r')),
          readPage: () => table.readPage(everyRow),
          commit: () => table.commit([insert(keyAt('r'))]),
          readAccessPolicies: () => table.readAccessPolicies(),
          writeAccessPolicies: () => table.writeAccessPolicies([]),
        };
        await operations[first]();
        await store.deleteTable(account, 'Table');
        expect(await outcomesOf(table), 'dropped').toEqual(allMissing);

        await store.createTable(account, 'Table');
        await commit(store, 'Table', insert(keyAt('r'), 2));
        expect(await outcomesOf(table), 'created again').toEqual(allMissing);
        expect(await rowsOf(store, 'Table')).toEqual(['p/r']);
      },
    );

    it('that found no table finds none later', async () => {
      const table = store.openTable(account, 'Table');
      expect(await table.find()).toBeUndefined();
      await store.createTable(account, 'Table');
      expect(await outcomesOf(table)).toEqual(allMissing);
    });

    it('resolves its name with its first operation, not before', async () => {
      const table = store.openTable(account, 'TABLE');
      await store.createTable(account, 'Table');
      await table.commit([insert(keyAt('r'), 1)]);
      expect(await table.find()).toMatchObject({ name: 'Table' });
      expect(await rowsOf(store, 'Table')).toEqual(['p/r']);
    });

    it('stays valid when the access policies of its table change', async () => {
      await store.createTable(account, 'Table');
      const table = store.openTable(account, 'Table');
      await table.writeAccessPolicies([{ id: 'reader', permission: 'r' }]);
      expect(await table.readAccessPolicies()).toEqual([{ id: 'reader', permission: 'r' }]);
      expect(isRejection(await table.commit([insert(keyAt('r'))]))).toBe(false);
    });
  });

  describe('a commit', () => {
    beforeEach(async () => {
      await store.createTable(account, 'Table');
      await commit(store, 'Table', insert(keyAt('old'), 1));
    });

    it('returns the entities as they are read afterwards', async () => {
      const changes = [insert(keyAt('new'), 2), replace(keyAt('old'), 3), remove(keyAt('old'))];
      const outcome = await store.openTable(account, 'TABLE').commit(changes);
      if (isRejection(outcome)) throw new Error('nothing is against it');
      expect(outcome.map(numberOf)).toEqual([2, 3, undefined]);
      expect(await readEntity(store, 'table', keyAt('new'))).toBe(outcome[0]);
      expect(await readEntity(store, 'Table', keyAt('old'))).toBeUndefined();
    });

    it.each([
      ['entity-exists', insert(keyAt('old'))],
      ['entity-missing', remove(keyAt('none'))],
      ['entity-missing', replace(keyAt('none'), 1, '*')],
      ['etag-differs', replace(keyAt('old'), 1, 'W/"other"')],
      [
        'property-name-too-long',
        {
          ...insert(keyAt('x')),
          properties: [{ name: 'n'.repeat(256), type: 'Edm.Boolean', json: 'true', valueBytes: 1 }],
        },
      ],
    ] as const)(
      'with one rejection (%s) changes nothing and says where it was, and on which entity',
      async (reason, rejected) => {
        const existing = await readEntity(store, 'Table', keyAt('old'));
        const changes = [insert(keyAt('a')), replace(keyAt('b'), 2), rejected, insert(keyAt('c'))];
        expect(await store.openTable(account, 'Table').commit(changes)).toEqual({
          ...{ reason, at: 2 },
          ...(reason !== 'entity-missing' && reason !== 'property-name-too-long' && { existing }),
        });
        expect(await rowsOf(store, 'Table')).toEqual(['p/old']);
        expect(await readEntity(store, 'Table', keyAt('old'))).toBe(existing);
      },
    );

    it('checks each change against the result of the changes before it', async () => {
      const key = keyAt('new');
      const again = [insert(key, 1), replace(key, 2, '*'), remove(key), insert(key, 3)];
      expect(await commit(store, 'Table', ...again)).toHaveLength(4);
      expect(numberOf(await readEntity(store, 'Table', key))).toBe(3);
      const twice = [remove(key), remove(key)];
      expect(await store.openTable(account, 'Table').commit(twice)).toEqual({ reason: 'entity-missing', at: 1 });
      const inserted = [insert(keyAt('x')), insert(keyAt('x'))];
      expect(await store.openTable(account, 'Table').commit(inserted)).toMatchObject({
        reason: 'entity-exists',
        at: 1,
      });
    });

    it('is checked against earlier commits, even if they are not yet stored', async () => {
      const key = keyAt('new');
      const changes = [insert(key, 1), insert(key, 2), replace(key, 3, '*'), remove(key), remove(key), insert(key, 6)];
      const outcomes = await Promise.all(changes.map((change) => store.openTable(account, 'Table').commit([change])));
      expect(outcomes.map((outcome) => (isRejection(outcome) ? outcome.reason : numberOf(outcome[0])))).toEqual([
        1,
        'entity-exists',
        3,
        undefined,
        'entity-missing',
        6,
      ]);
    });

    it('gives each entity a different tag', async () => {
      const keys = Array.from({ length: 300 }, (_, at) => keyAt(`r${at}`));
      const single = await Promise.all(keys.map((key) => commit(store, 'Table', insert(key))));
      const grouped = await commit(store, 'Table', ...keys.map((key) => replace(key, 1)));
      expect(new Set([...single.flat(), ...grouped]).size).toBe(600);
    });
  });

  describe('concurrent writers', () => {
    beforeEach(async () => {
      await store.createTable(account, 'Table');
    });

    it('for one key: one of them inserts it', async () => {
      const attempts = Array.from({ length: 40 }, (_, at) =>
        store.openTable(account, 'Table').commit([insert(keyAt('r'), at)]),
      );
      const made = (await Promise.all(attempts)).filter((outcome) => !isRejection(outcome));
      expect(made).toHaveLength(1);
      expect(made[0]).toEqual([await readEntity(store, 'Table', keyAt('r'))]);
    });

    it('increment a counter with If-Match: no increment is lost', async () => {
      const key = keyAt('counter');
      await commit(store, 'Table', insert(key, 0));
      const countUp = async () => {
        for (let done = 0; done < 25; ) {
          const text = (await readEntity(store, 'Table', key)) ?? '';
          // Lets the others read the same, so that most attempts meet a tag that differs.
          await otherWork();
          const change = replace(key, (numberOf(text) ?? 0) + 1, etagOf(text));
          if (!isRejection(await store.openTable(account, 'Table').commit([change]))) done++;
        }
      };
      await Promise.all(Array.from({ length: 8 }, countUp));
      expect(numberOf(await readEntity(store, 'Table', key))).toBe(200);
    });

    it('move an amount between two entities: the sum stays the same', async () => {
      const [a, b] = [keyAt('a'), keyAt('b')];
      await commit(store, 'Table', insert(a, 100), insert(b, 0));
      const move = async () => {
        for (let done = 0; done < 10; ) {
          const [from, to] = await Promise.all([a, b].map((key) => readEntity(store, 'Table', key)));
          if (from === undefined || to === undefined) throw new Error('both are there');
          await otherWork();
          const changes = [
            replace(a, (numberOf(from) ?? 0) - 1, etagOf(from)),
            replace(b, (numberOf(to) ?? 0) + 1, etagOf(to)),
          ];
          if (!isRejection(await store.openTable(account, 'Table').commit(changes))) done++;
        }
      };
      await Promise.all([move(), move(), move()]);
      const page = await store.openTable(account, 'Table').readPage({ ranges: [{}], rowsMax: 10 });
      expect(isRejection(page) || page.rows.map(numberOf)).toEqual([70, 30]);
    });
  });
});
