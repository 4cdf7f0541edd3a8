import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClock } from '../../../src/clock/clock.js';
import { cosmosTraits } from '../../../src/dialects/cosmos/traits.js';
import type { EntityText } from '../../../src/entity/stored/entity.js';
import { keyOf } from '../../../src/entity/stored/write-row.js';
import { compileTextTest } from '../../../src/query/filter/evaluate-filter.js';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';
import type { PageStart } from '../../../src/query/plan/plan.js';
import { planQuery } from '../../../src/query/plan/plan-query.js';
import { isRejection, type Store } from '../../../src/store/store.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import { account, insert, remove, replace } from '../../support/store/store-changes.js';
import { type Ground, groundsOf, makePlace, type TestPlace } from '../../support/store/test-engines.js';

const partition = fc.constantFrom('p', 'q', 'q\uFFFD', '\u{1F600}');
const row = fc.constantFrom('a', 'b', 'c', 'd', 'e', '\uFFFD', '\u{1F600}');
const key = fc.record({ partitionKey: partition, rowKey: row });

/** A history: each step writes or deletes one entity, and the snapshot freezes what is there. */
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constantFrom('insert' as const, 'replace' as const), key, number: fc.nat(5) }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), key, number: fc.constant(0) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('freeze' as const), key, number: fc.constant(0) }) },
  ),
  { minLength: 1, maxLength: 40, size: 'max' },
);

const comparison = fc
  .oneof(
    fc.tuple(
      fc.constant('PartitionKey'),
      fc.constantFrom('eq', 'eq', 'ge', 'lt'),
      partition.map((text) => `'${text}'`),
    ),
    fc.tuple(
      fc.constant('RowKey'),
      fc.constantFrom('eq', 'ge', 'gt', 'le'),
      row.map((text) => `'${text}'`),
    ),
    fc.tuple(fc.constant('N'), fc.constantFrom('eq', 'ge', 'ne'), fc.nat(5).map(String)),
  )
  .map((parts) => parts.join(' '));
const { filter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'filter' },
    comparison,
    fc.tuple(tie('filter'), fc.constantFrom('and', 'or'), tie('filter')).map((parts) => `(${parts.join(' ')})`),
  ),
}));

const grounds = groundsOf<Ground>([
  { engine: 'memory', cacheBytes: 0 },
  { engine: 'level', cacheBytes: 64 * 1024 },
]);

describe.each(grounds)('a table in the order of insertion, in $engine', ({ engine, cacheBytes }) => {
  let place: TestPlace;
  let store: Store;
  let tables = 0;
  beforeAll(async () => {
    place = await makePlace(engine);
    store = await place.open({ clock: createClock(), cacheBytes });
    await store.openAccount(account, cosmosTraits);
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  it('answers every query, in pages of any size, with the rows of a list that match', async () => {
    await fc.assert(
      fc.asyncProperty(steps, filter, fc.integer({ min: 1, max: 7 }), async (history, text, rowsMax) => {
        const name = `Table${tables++}`;
        await store.createTable(account, name);
        const table = store.openTable(account, name);
        // A map keeps the order of insertion, also when a key gets another value.
        const list = new Map<string, EntityText>();
        for (const { do: kind, key: at, number } of history) {
          const id = `${at.partitionKey}/${at.rowKey}`;
          if (kind === 'freeze') {
            await store.snapshots?.take('s', [account]);
            continue;
          }
          const change = kind === 'remove' ? remove(at) : kind === 'insert' ? insert(at, number) : replace(at, number);
          const outcome = await table.commit([change]);
          if (isRejection(outcome)) continue;
          const [after] = outcome;
          if (after) list.set(id, after);
          else list.delete(id);
        }
        const asked = parseFilter(text);
        const expected = asked ? [...list.values()].filter(compileTextTest(asked)) : [...list.values()];
        const found: EntityText[] = [];
        let startAt: PageStart | undefined;
        do {
          const page = await table.readPage(planQuery(asked, { rowsMax, startAt }));
          if (isRejection(page)) throw new Error(page.reason);
          if (page.next) expect(page.rows).toHaveLength(rowsMax);
          found.push(...page.rows);
          startAt = page.next;
        } while (startAt);
        expect(found.map(idOf)).toEqual(expected.map(idOf));
        expect(found).toEqual(expected);
        await store.deleteTable(account, name);
      }),
      { numRuns: runs(engine === 'postgres' ? 40 : 150) },
    );
  });
});

function idOf(text: EntityText): string {
  return `${keyOf(text, 'PartitionKey')}/${keyOf(text, 'RowKey')}`;
}
