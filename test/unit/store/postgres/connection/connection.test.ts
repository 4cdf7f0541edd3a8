import { EventEmitter } from 'node:events';
import type pg from 'pg';
import { expect, it } from 'vitest';
import { Connection } from '../../../../../src/store/postgres/connection/connection.js';
import { readAddress } from '../../../../../src/store/postgres/connection/database-address.js';

it('An answer that never comes fails at once if its connection is lost already', async () => {
  const connection = new Connection(readAddress({ url: 'postgres://db/x', schema: 'x' }));
  const stream = { destroy: () => {} };
  const lost = Object.assign(new EventEmitter(), { connection: { stream } }) as unknown as pg.Client;
  const never = new Promise(() => {});
  await expect(connection.within(lost, performance.now() + 60_000, never)).rejects.toThrow('lost');
});
