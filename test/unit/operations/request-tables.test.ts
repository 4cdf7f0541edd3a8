import { expect, it } from 'vitest';
import { RequestTables } from '../../../src/operations/request-tables.js';
import type { TableHandle, TableStore } from '../../../src/store/store.js';

const opened: string[] = [];
const store = {
  openTable(account: string, name: string) {
    opened.push(`${account}/${name}`);
    return { name } as unknown as TableHandle;
  },
} as unknown as TableStore;

it('A request opens a table once, without regard to the letter case of its name', () => {
  opened.length = 0;
  const tables = new RequestTables(store, 'acct');

  expect(tables.open('Table')).toBe(tables.open('tABLE'));
  expect(opened).toEqual(['acct/Table']);
});

it('A request can use several tables', () => {
  opened.length = 0;
  const tables = new RequestTables(store, 'acct');

  expect(tables.open('First')).not.toBe(tables.open('Second'));
  expect(opened).toEqual(['acct/First', 'acct/Second']);
});
