import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { cosmosTraits } from '../../../src/dialects/cosmos/traits.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import type { Difference } from '../../../src/state/contract.js';
import { State } from '../../../src/state/state.js';
import { isRejection, type Store } from '../../../src/store/store.js';
import { Transfer } from '../../../src/transfer/transfer.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { insert, keyAt } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

const storage = developmentAccount.name;
const exact = 'exact';

// In an account of Cosmos DB, Table and table are two tables. Source: cosmos 13.
describe.each(grounds)(
  'Tables that differ only in letter case, in $engine with $cacheBytes bytes of cache:',
  (ground) => {
    let tested: StoreUnderTest;
    let store: Store;
    let state: State;
    const reports: unknown[] = [];
    beforeEach(async () => {
      tested = await openTestStore(ground);
      store = tested.store();
      await store.openAccount(exact, cosmosTraits);
      const accounts = new Accounts([developmentAccount, { name: exact, keys: [...developmentAccount.keys] }]);
      state = new State(store, accounts, (error) => reports.push(error));
      await store.createTable(storage, 'Table');
      await write(storage, 'Table');
      for (const table of ['Table', 'table']) {
        await store.createTable(exact, table);
        await write(exact, table);
      }
    });
    afterEach(async () => {
      state.stop();
      await tested.dispose();
      expect([...tested.reports, ...reports]).toEqual([]);
    });

    const write = async (account: string, table: string, row = 'a') => {
      const outcome = await store.openTable(account, table).commit([insert(keyAt(row), 1)]);
      if (isRejection(outcome)) throw new Error(outcome.reason);
    };
    /** Returns how many entities each table has. */
    const counts = async () =>
      Object.fromEntries(
        (await state.listTables(undefined, true)).map((one) => [`${one.account}/${one.name}`, one.entities]),
      );
    const full = { [`${storage}/Table`]: 1, 'exact/Table': 1, 'exact/table': 1 };

    it('are emptied one by one, and a name of a storage account still has no case', async () => {
      expect(await state.reset({ account: exact, table: 'table', to: 'empty' })).toMatchObject({ tables: 1 });
      expect(await counts()).toEqual({ ...full, 'exact/table': 0 });

      expect(await state.reset({ table: 'table', to: 'empty' })).toMatchObject({ tables: 2 });
      expect(await counts()).toEqual({ ...full, 'exact/table': 0, [`${storage}/Table`]: 0 });
    });

    it('are emptied by a prefix that one of them has', async () => {
      await state.reset({ account: exact, tablePrefix: 'T', to: 'empty' });

      expect(await counts()).toEqual({ ...full, 'exact/Table': 0 });
    });

    it('go back to a snapshot one by one', async () => {
      await state.takeSnapshot('one');
      for (const table of ['Table', 'table']) await write(exact, table, 'b');

      await state.reset({ account: exact, table: 'table', to: 'one' });

      expect(await counts()).toEqual({ ...full, 'exact/Table': 2 });
    });

    it('are compared each with itself', async () => {
      await state.takeSnapshot('one');
      await write(exact, 'Table', 'b');
      const differences = async (table?: string) => {
        const wish = { from: 'one', account: exact, ...(table !== undefined && { table }) };
        return (await state.diff(wish)).differences.map(({ kind, ...one }: Difference) => [kind, one.table]);
      };

      expect(await differences()).toEqual([['added', 'Table']]);
      expect([await differences('Table'), await differences('table')]).toEqual([[['added', 'Table']], []]);
    });

    it('are exported one by one', async () => {
      let text = '';
      for await (const chunk of await new Transfer(store, state).export({ account: exact, table: 'table' }))
        text += chunk;

      expect(text.split('\n').filter((line) => line.includes('$table'))).toEqual(['{"$table":"table"}']);
    });

    it('keep the writes of others if a strict import into the other one fails', async () => {
      const rows = [{ $table: 'table' }, { PartitionKey: 'p', RowKey: 'new' }, { PartitionKey: 'p', RowKey: 'a' }].map(
        (row) => `${JSON.stringify(row)}\n`,
      );
      async function* read() {
        yield Buffer.from(rows.slice(0, 2).join(''));
        await write(exact, 'Table', 'b');
        yield Buffer.from(rows[2] ?? '');
      }
      const sources = [{ format: 'ndjson' as const, open: read }];

      await expect(new Transfer(store, state).import(sources, { account: exact, strict: true })).rejects.toThrow(
        'EntityAlreadyExists',
      );

      expect(await counts()).toEqual({ ...full, 'exact/Table': 2 });
    });
  },
);
