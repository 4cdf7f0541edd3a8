import type pg from 'pg';
import { expect, it } from 'vitest';
import type { Connection } from '../../../../src/store/postgres/connection.js';
import { ReceiptWriter } from '../../../../src/store/postgres/receipt-writer.js';
import { StoreUnavailable } from '../../../../src/store/store-unavailable.js';

it('A writer that can connect but not register gives up when its time is over', async () => {
  let attempts = 0;
  // A database that is read-only, as a standby is: every connection opens, and no write succeeds.
  const connection = {
    open: async () => ({}) as pg.Client,
    run: async () => {
      // Ends a writer that never gives up.
      if (++attempts > 1000) throw Object.assign(new Error('tried too often'), { code: '42501' });
      throw Object.assign(new Error('cannot execute INSERT in a read-only transaction'), { code: '25006' });
    },
  } as unknown as Connection;
  const writer = new ReceiptWriter(connection, { made: 0, notMade: 0, conflicts: 0 });

  await expect(writer.ready(performance.now() + 20)).rejects.toBeInstanceOf(StoreUnavailable);
  expect(attempts).toBeGreaterThan(1);
  expect(attempts).toBeLessThan(1000);
});
