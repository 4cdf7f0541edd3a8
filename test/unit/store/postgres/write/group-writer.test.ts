import type pg from 'pg';
import { expect, it } from 'vitest';
import { AccountServices } from '../../../../../src/store/account-services.js';
import { CommitListeners } from '../../../../../src/store/commit-listeners.js';
import type { Connection } from '../../../../../src/store/postgres/connection/connection.js';
import { GroupWriter } from '../../../../../src/store/postgres/write/group-writer.js';
import { KnownTables } from '../../../../../src/store/postgres/write/guess-state.js';
import type { ReceiptWriter } from '../../../../../src/store/postgres/write/receipt-writer.js';
import { insert, keyAt } from '../../../../support/store/store-changes.js';

it('Stamps of a group are later than those of a write that was only found to be made afterwards', async () => {
  const tables = new KnownTables();
  tables.learn('account/table', { id: '1', name: 'Table' });
  const late = 134_000_000_000_000_000n;
  const lowest: bigint[] = [];
  const writer = {
    ready: async () => ({}) as pg.Client,
    takeLateAnswer: () => (lowest.length === 0 ? String(late) : undefined),
    // A database whose clock has jumped back gives the lowest stamp that it may.
    write: async (_client: pg.Client, _statement: unknown, [floor]: unknown[]) => {
      lowest.push(BigInt(floor as string));
      return floor as string;
    },
  } as unknown as ReceiptWriter;
  const parts = {
    services: new AccountServices(),
    tables,
    listeners: new CommitListeners(() => {}),
    stamps: { last: 0n },
  };
  const group = new GroupWriter({} as Connection, writer, parts);
  const commit = () =>
    group.commit([{ account: 'account', name: 'table', id: undefined, changes: [insert(keyAt('r'))] }]);
  await commit();
  await commit();

  const [first = 0n, second = 0n] = lowest;
  expect(first).toBeGreaterThan(late);
  expect(second).toBeGreaterThan(first);
});
