import fc from 'fast-check';
import { MemoryLevel } from 'memory-level';
import { describe, expect, it } from 'vitest';
import { createClock } from '../../../../src/clock/clock.js';
import type { Change } from '../../../../src/entity/stored/change.js';
import type { EntityKey } from '../../../../src/entity/stored/entity.js';
import type { Filter } from '../../../../src/query/filter/filter.js';
import { planQuery } from '../../../../src/query/plan/plan-query.js';
import type { Engine } from '../../../../src/store/level/engine/engine.js';
import type { LevelStore } from '../../../../src/store/level/level-store.js';
import { openLevelStore } from '../../../../src/store/level/open-level-store.js';
import { isRejection } from '../../../../src/store/store.js';
import { comparisonOf, filterOver } from '../../../support/arbitrary/arbitrary-filter.js';
import { runs } from '../../../support/arbitrary/property-runs.js';
import { shortenTurns } from '../../../support/measures/short-turns.js';
import { account, numbered } from '../../../support/store/store-changes.js';

const tables = ['One', 'Two'] as const;
const partitions = ['p', 'q'];
const rowKeys = Array.from({ length: 30 }, (_, at) => `r${String(at).padStart(2, '0')}`);

const key: fc.Arbitrary<EntityKey> = fc.record({
  partitionKey: fc.constantFrom(...partitions),
  rowKey: fc.constantFrom(...rowKeys),
});
const number = fc.nat(4);

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), key, properties: number.map(numbered) }),
  fc.record({
    kind: fc.constant('replace' as const),
    key,
    properties: number.map(numbered),
    ifMatch: fc.constant(undefined),
  }),
  fc.record({ kind: fc.constant('merge' as const), key, properties: number.map(numbered), ifMatch: fc.constant('*') }),
  fc.record({ kind: fc.constant('delete' as const), key, ifMatch: fc.constant('*') }),
);
const changes = fc.uniqueArray(change, {
  minLength: 1,
  maxLength: 4,
  selector: ({ key: { partitionKey, rowKey } }) => `${partitionKey}/${rowKey}`,
});

const text = (values: readonly string[]) =>
  fc.record({ type: fc.constant('Edm.String' as const), value: fc.constantFrom(...values) });
const filter: fc.Arbitrary<Filter> = filterOver(
  fc.oneof(
    comparisonOf(fc.constant('PartitionKey'), text(partitions)),
    comparisonOf(fc.constant('RowKey'), text(rowKeys)),
    comparisonOf(fc.constant('N'), fc.record({ type: fc.constant('Edm.Int32' as const), value: number.map(String) })),
  ),
);

const table = fc.constantFrom(...tables);
const page = fc.record({
  kind: fc.constant('page' as const),
  table,
  filter: fc.option(filter, { nil: undefined }),
  rowsMax: fc.constantFrom<number[]>(1, 3, 10, 1000),
});
const write = fc.record({ kind: fc.constant('write' as const), table, changes });
/** Pages that are read during writes. */
const atOnce = fc.record({
  kind: fc.constant('at once' as const),
  pages: fc.array(page, { minLength: 1, maxLength: 3 }),
  writes: fc.array(write, { minLength: 1, maxLength: 3 }),
  dropped: fc.option(table, { freq: 6 }),
});
const step = fc.oneof(
  { weight: 6, arbitrary: page },
  { weight: 6, arbitrary: write },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('read' as const), table, key }) },
  { weight: 3, arbitrary: atOnce },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), table }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type WriteStep = typeof write extends fc.Arbitrary<infer T> ? T : never;
type PageStep = typeof page extends fc.Arbitrary<infer T> ? T : never;

async function openWith(cacheBytes: number): Promise<LevelStore> {
  const engine = new MemoryLevel<string, string>({ storeEncoding: 'utf8' }) as unknown as Engine;
  // Every store gets the same instants, and therefore the same tags.
  const clock = createClock(() => Date.UTC(2026, 0, 1));
  const store = await openLevelStore(engine, { clock, cacheBytes, location: 'memory' });
  for (const name of tables) await store.createTable(account, name);
  return store;
}

/** Adds rows that no step changes, so that reading the table takes more than one turn. */
async function addBallast(store: LevelStore, rows: number): Promise<void> {
  for (let at = 0; at < rows; at += 500) {
    const inserts = Array.from({ length: Math.min(500, rows - at) }, (_, row): Change => {
      const rowKey = `r${String((at + row) % 30).padStart(2, '0')}+${at + row}`;
      return { kind: 'insert', key: { partitionKey: 'p', rowKey }, properties: numbered(row % 5) };
    });
    await store.openTable(account, 'One').commit(inserts);
  }
}

/** Returns a step that reads a whole table during writes, so that the cache is filled with outdated rows. */
function walkAtOnce(writes: readonly WriteStep[]): Step {
  const all: Filter = { kind: 'comparison', property: 'N', operator: 'ge', literal: { type: 'Edm.Int32', value: '0' } };
  return {
    kind: 'at once',
    pages: [{ kind: 'page', table: 'One', filter: all, rowsMax: 3000 }],
    writes: [...writes],
    dropped: null,
  };
}

/** Reads the pages of a query, up to `pagesMax`. The first page starts synchronously. */
async function readPages(store: LevelStore, { table: name, filter: asked, rowsMax }: PageStep, pagesMax: number) {
  const answers: unknown[] = [];
  let startAt: EntityKey | undefined;
  for (let at = 0; at < pagesMax; at++) {
    const answer = await store.openTable(account, name).readPage(planQuery(asked, { rowsMax, startAt }));
    answers.push(answer);
    if (isRejection(answer) || !answer.next) break;
    startAt = answer.next;
  }
  return answers;
}

async function take(store: LevelStore, step: Step): Promise<unknown> {
  switch (step.kind) {
    case 'page':
      return readPages(store, step, 5);
    case 'write':
      return store.openTable(account, step.table).commit(step.changes);
    case 'read':
      return store.openTable(account, step.table).readEntity(step.key);
    case 'at once': {
      const pages = step.pages.map((one) => readPages(store, one, 1));
      const writes = step.writes.map((one) => store.openTable(account, one.table).commit(one.changes));
      const dropped = step.dropped ? [store.deleteTable(account, step.dropped)] : [];
      const outcomes = await Promise.all([...pages, ...writes, ...dropped]);
      if (step.dropped) await createAgain(store, step.dropped);
      return outcomes;
    }
    default:
      return [await store.deleteTable(account, step.table), await createAgain(store, step.table)];
  }
}

/** Creates a table that was dropped. Its rows are swept before the next step: a page waits for that, and would then show what is written beside it. */
async function createAgain(store: LevelStore, name: string): Promise<unknown> {
  const created = await store.createTable(account, name);
  await store.swept();
  return created;
}

describe.each([
  { cacheBytes: 3_000, ballast: 0, turns: 'long', numRuns: 60 },
  { cacheBytes: 20_000, ballast: 0, turns: 'long', numRuns: 60 },
  { cacheBytes: 20_000, ballast: 0, turns: 'short', numRuns: 60 },
  { cacheBytes: 300_000, ballast: 2600, turns: 'long', numRuns: 16 },
  { cacheBytes: 100_000_000, ballast: 2600, turns: 'long', numRuns: 16 },
  { cacheBytes: 100_000_000, ballast: 40, turns: 'short', numRuns: 40 },
])('a store with a read cache of $cacheBytes bytes, $ballast more rows and $turns turns', (setting) => {
  const { cacheBytes, ballast, turns, numRuns } = setting;
  it('answers everything like a store without a cache', async () => {
    const restore = turns === 'short' ? shortenTurns() : () => {};
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(write), fc.array(step, { maxLength: 40, size: 'max' }), async (writes, steps) => {
          const [cached, plain] = [await openWith(cacheBytes), await openWith(0)];
          for (const store of [cached, plain]) await addBallast(store, ballast);
          for (const one of [walkAtOnce(writes), ...steps])
            expect(await take(cached, one)).toEqual(await take(plain, one));
          await cached.close();
          await plain.close();
        }),
        { numRuns: runs(numRuns) },
      );
    } finally {
      restore();
    }
  });
});
