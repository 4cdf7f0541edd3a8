import { EventEmitter } from 'node:events';
import type pg from 'pg';
import { expect, it } from 'vitest';
import { parseFilter } from '../../../../../src/query/filter/parse-filter.js';
import { planQuery } from '../../../../../src/query/plan/plan-query.js';
import { readPage } from '../../../../../src/store/postgres/read/read-page.js';

it('A page does not wait for ever for a database that is silent when its portal is closed', async () => {
  const cursor = { read: async () => [], close: () => new Promise(() => {}) };
  const client = Object.assign(new EventEmitter(), { query: () => cursor }) as unknown as pg.Client;
  const giveUp = () => new Promise<never>((_, fail) => setImmediate(() => fail(new Error('no answer'))));
  const within = <T>(answer: Promise<T>): Promise<T> => Promise.race([answer, giveUp()]);
  const plan = planQuery(parseFilter('A eq 1'), { rowsMax: 10 });

  await expect(readPage({ client, within }, { table: { account: 'a', name: 'table' }, plan })).rejects.toThrow(
    'no answer',
  );
});
