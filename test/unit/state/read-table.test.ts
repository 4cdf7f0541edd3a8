import { assert, asyncProperty, constantFrom, integer, uniqueArray } from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';
import { countMatches, describeTable, readEntities } from '../../../src/state/read-table.js';
import type { Store } from '../../../src/store/store.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { account, commit, insert, keyAt } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

describe.each(grounds)('A table read for people, in $engine with $cacheBytes bytes of cache:', (ground) => {
  let tested: StoreUnderTest;
  let store: Store;
  const place = { account, table: 'Table' };
  beforeEach(async () => {
    tested = await openTestStore(ground);
    store = tested.store();
    await store.createTable(account, 'Table');
  });
  afterEach(() => tested.dispose());

  it('has the first entities that a filter finds, and more exactly if there are more', async () => {
    const names = uniqueArray(integer({ min: 0, max: 30 }), { maxLength: 20 });
    const limits = integer({ min: 1, max: 22 });
    const filters = constantFrom(undefined, "RowKey ge 'r15'", 'N lt 10', "PartitionKey eq 'other'");
    await assert(
      asyncProperty(names, limits, filters, async (numbers, limit, text) => {
        await store.deleteTable(account, 'Table');
        await store.createTable(account, 'Table');
        const nameOf = (number: number) => `r${String(number).padStart(2, '0')}`;
        if (numbers.length > 0)
          await commit(store, 'Table', ...numbers.map((number) => insert(keyAt(nameOf(number)), number)));
        const wanted = numbers
          .filter((number) => text === undefined || (text.startsWith('N') ? number < 10 : number >= 15))
          .filter(() => !text?.startsWith('PartitionKey'))
          .sort((a, b) => a - b);
        const filter = parseFilter(text ?? '');
        const { entities, more } = await readEntities(store, place, { filter, limit });
        expect(entities.map(({ N }) => N)).toEqual(wanted.slice(0, limit));
        expect(more).toBe(wanted.length > limit);
        expect(await countMatches(store, place, filter)).toBe(wanted.length);
      }),
      { numRuns: 20 },
    );
  });

  it('has the types that JSON does not show, and null for a selected property that is missing', async () => {
    const properties = [
      { name: 'Big', type: 'Edm.Int64', json: '"9007199254740993"', valueBytes: 8 },
      { name: 'Whole', type: 'Edm.Double', json: '1.0', valueBytes: 8 },
    ] as const;
    await commit(store, 'Table', { kind: 'insert', key: keyAt('a'), properties: [...properties] });
    const all = await readEntities(store, place, { filter: undefined, limit: 5 });
    expect(all.entities[0]).toMatchObject({
      'Big@odata.type': 'Edm.Int64',
      Big: '9007199254740993',
      'Whole@odata.type': 'Edm.Double',
      Whole: 1,
    });
    const select = ['Whole', 'Missing', '__proto__'];
    const some = await readEntities(store, place, { filter: undefined, select, limit: 5 });
    expect(JSON.stringify(some.entities)).toBe(
      '[{"Whole@odata.type":"Edm.Double","Whole":1,"Missing":null,"__proto__":null}]',
    );
  });

  it('is described by its properties, their types and how often they occur', async () => {
    await commit(store, 'Table', insert(keyAt('a'), 7), insert(keyAt('b'), 8));
    const named = { name: 'N', type: 'Edm.String', json: `"${'x'.repeat(200)}"`, valueBytes: 404 } as const;
    const only = { name: 'Only', type: 'Edm.Boolean', json: 'true', valueBytes: 1 } as const;
    await commit(store, 'Table', { kind: 'insert', key: keyAt('c', 'q'), properties: [named, only] });
    expect(await describeTable(store, place)).toEqual({
      ...{ account, table: 'Table', entities: 3, partitions: 2, more: false },
      properties: [
        { name: 'PartitionKey', types: ['Edm.String'], entities: 3, example: '"p"' },
        { name: 'RowKey', types: ['Edm.String'], entities: 3, example: '"a"' },
        { name: 'N', types: ['Edm.Int32', 'Edm.String'], entities: 3, example: '7' },
        { name: 'Only', types: ['Edm.Boolean'], entities: 1, example: 'true' },
      ],
    });
  });

  it('is described by its first 1,000 entities', async () => {
    const keys = Array.from({ length: 1001 }, (_, at) => keyAt(String(at)));
    await commit(store, 'Table', ...keys.slice(0, 1000).map((key) => insert(key)));
    expect(await describeTable(store, place)).toMatchObject({ entities: 1000, more: false });
    await commit(store, 'Table', ...keys.slice(1000).map((key) => insert(key)));
    expect(await describeTable(store, place)).toMatchObject({ entities: 1000, more: true });
    expect(await countMatches(store, place, undefined)).toBe(1001);
  });

  it('must be there', async () => {
    const missing = { account, table: 'Missing' };
    const fault = /has no table Missing/;
    await expect(readEntities(store, missing, { filter: undefined, limit: 1 })).rejects.toThrow(fault);
    await expect(countMatches(store, missing, undefined)).rejects.toThrow(fault);
    await expect(describeTable(store, missing)).rejects.toThrow(fault);
  });
});
