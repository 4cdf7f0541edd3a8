import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { State } from '../../../src/state/state.js';
import { isRefusal } from '../../../src/store/store.js';
import { Transfer } from '../../../src/transfer/transfer.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import { openTestStore } from '../../support/store/open-test-store.js';
import { account, keyAt, numberOf, readEntity, remove, replace, rowsOf } from '../../support/store/store-changes.js';
import { grounds } from '../../support/store/test-engines.js';

const row = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('import' as const), row, number: fc.nat(99) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('put' as const), row, number: fc.nat(99) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), row }) },
);

const header = '{"$table":"Orders"}\n';
const lineOf = (RowKey: string, N: number) => `${JSON.stringify({ PartitionKey: 'p', RowKey, N })}\n`;

describe.each(grounds)('A strict import that fails, in $engine with $cacheBytes bytes of cache,', (ground) => {
  it('leaves what there would be without it', async () => {
    const histories = fc.record({
      mode: fc.constantFrom('replace' as const, 'merge' as const),
      first: fc.uniqueArray(row),
      steps: fc.array(step, { maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(histories, async ({ mode, first, steps }) => {
        const tested = await openTestStore(ground);
        const store = tested.store();
        const state = new State(store, new Accounts([{ name: account, keys: ['a2V5'] }]), (error) => {
          throw error;
        });
        /** The numbers that others have written, by row key. */
        const others = new Map<string, number>();
        const write = async (change: ReturnType<typeof replace>) =>
          !isRefusal(await store.openTable(account, 'Orders').commit([change]));
        async function* read() {
          for (const one of steps) {
            // The next header makes the import write the row.
            if (one.do === 'import') yield Buffer.from(`${header}${lineOf(one.row, one.number)}${header}`);
            else if (one.do === 'put') {
              await write(replace(keyAt(one.row), one.number));
              others.set(one.row, one.number);
            } else if (await write(remove(keyAt(one.row)))) others.delete(one.row);
          }
          yield Buffer.from(`${header}${lineOf('refused/key', 1)}`);
        }
        try {
          await store.createTable(account, 'Orders');
          for (const key of first) {
            await write(replace(keyAt(key), -1));
            others.set(key, -1);
          }
          const sources = [{ format: 'ndjson' as const, open: read }];
          const failing = new Transfer(store, state).import(sources, { mode, strict: true });
          await expect(failing).rejects.toThrow('Nothing was imported.');
          const found = new Map<string, number>();
          for (const key of await rowsOf(store, 'Orders')) {
            const rowKey = key.slice('p/'.length);
            found.set(rowKey, numberOf(await readEntity(store, 'Orders', keyAt(rowKey))) as number);
          }
          expect(found).toEqual(new Map([...others].sort()));
          expect(await store.snapshots.list()).toEqual([]);
        } finally {
          await state.stop();
          await tested.dispose();
        }
      }),
      { numRuns: runs(ground.engine === 'memory' ? 60 : 20) },
    );
  });
});
