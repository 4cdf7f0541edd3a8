import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClock } from '../../src/clock/clock.js';
import type { Change } from '../../src/entity/stored/change.js';
import { type EntityText, etagOf } from '../../src/entity/stored/entity.js';
import { parseFilter } from '../../src/query/filter/parse-filter.js';
import { planQuery } from '../../src/query/plan/plan-query.js';
import { isRejection, type TableStore } from '../../src/store/store.js';
import { runs } from '../support/arbitrary/property-runs.js';
import {
  type ModelChange,
  rowNames,
  type State,
  TransactionModel,
  transaction,
} from '../support/arbitrary/transaction-model.js';
import { type Ground, groundsOf, makePlace } from '../support/store/test-engines.js';

/** A step of the clients. They do not wait for each other. */
type Step =
  | { readonly kind: 'commit'; readonly changes: readonly ModelChange[] }
  | { readonly kind: 'read'; readonly view: number }
  | { readonly kind: 'get'; readonly row: string }
  /** Gives the started operations a turn. */
  | { readonly kind: 'turn' }
  /** Waits for all started operations. */
  | { readonly kind: 'settle' };

/** Filters with their meaning. The plan of a filter is one range of keys, several ranges, or a check of each row. */
const views: readonly (readonly [filter: string, shows: (row: string, writer: number) => boolean])[] = [
  ['', () => true],
  ["PartitionKey eq 'p'", () => true],
  ["PartitionKey eq 'p' and RowKey ge 'b' and RowKey lt 'e'", (row) => row >= 'b' && row < 'e'],
  ["PartitionKey eq 'p' and (RowKey eq 'a' or RowKey eq 'c' or RowKey eq 'f')", (row) => 'acf'.includes(row)],
  ["RowKey le 'b' and PartitionKey eq 'p' or PartitionKey eq 'p' and RowKey gt 'd'", (row) => row <= 'b' || row > 'd'],
  ["PartitionKey eq 'p' and Writer ge 3", (_, writer) => writer >= 3],
  [
    "PartitionKey eq 'p' and (RowKey lt 'c' or RowKey ge 'd') and Writer ne 2",
    (row, writer) => writer !== 2 && (row < 'c' || row >= 'd'),
  ],
];

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('commit' as const), changes: transaction }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('read' as const), view: fc.nat(views.length - 1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('get' as const), row: fc.constantFrom(...rowNames) }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'turn' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'settle' as const }) },
);

/** A row in the model. */
type Row = [row: string, writer: number];

function readState(rows: readonly EntityText[]): Row[] {
  return rows.map((text) => {
    const { RowKey, Writer } = JSON.parse(text) as { RowKey: string; Writer: number };
    return [RowKey, Writer];
  });
}

function show(state: State, view: number): Row[] {
  const [, shows] = views[view] ?? ['', () => false];
  return [...state].filter(([row, writer]) => shows(row, writer)).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Sends steps to a store and checks every answer against the model. */
class Session {
  readonly model = new TransactionModel();
  readonly #store: TableStore;
  readonly #begun: Promise<void>[] = [];
  /** Index of the newest state that was acknowledged or read. A read that begins now must see it or a later one. */
  #known = 0;

  constructor(store: TableStore) {
    this.#store = store;
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const asked of steps) {
      if (asked.kind === 'commit') this.#begin(this.#commit(asked.changes));
      else if (asked.kind === 'read') this.#begin(this.#read(asked.view));
      else if (asked.kind === 'get') this.#begin(this.#get(asked.row));
      else if (asked.kind === 'turn') await setImmediate();
      else await this.settle();
    }
  }

  async settle(): Promise<void> {
    await Promise.all(this.#begun.splice(0));
  }

  #begin(doing: Promise<void>): void {
    // `settle` throws the error later.
    doing.catch(() => {});
    this.#begun.push(doing);
  }

  async #commit(asked: readonly ModelChange[]): Promise<void> {
    const { changes, verdict, writer } = this.model.begin(asked);
    const index = this.model.states.length - 1;
    const outcome = await this.#store.openTable('account', 'T').commit(changes);
    if (isRejection(outcome)) {
      expect({ reason: outcome.reason, at: outcome.at }).toEqual(verdict);
      return;
    }
    expect(verdict).toBe('kept');
    this.#known = Math.max(this.#known, index);
    for (const [at, text] of outcome.entries()) {
      const row = asked[at]?.row ?? '';
      if (text !== null) this.model.learn(row, writer, etagOf(text));
    }
  }

  async #read(view: number): Promise<void> {
    const oldest = this.#known;
    const plan = planQuery(parseFilter(views[view]?.[0] ?? ''), { rowsMax: 1000 });
    const page = await this.#store.openTable('account', 'T').readPage(plan);
    if (isRejection(page)) throw new Error('the table is there');
    this.#expectState(oldest, readState(page.rows), (state) => show(state, view));
  }

  async #get(row: string): Promise<void> {
    const oldest = this.#known;
    const text = await this.#store.openTable('account', 'T').readEntity({ partitionKey: 'p', rowKey: row });
    if (typeof text === 'object') throw new Error('the table is there');
    this.#expectState(oldest, text === undefined ? [] : readState([text]), (state) =>
      [...state].filter(([name]) => name === row),
    );
  }

  /** Expects the rows to match one state that is not older than the newest known state when the read began. */
  #expectState(oldest: number, found: readonly Row[], shown: (state: State) => readonly Row[]): void {
    const candidates = this.model.states.slice(oldest).map((state) => JSON.stringify(shown(state)));
    expect(candidates).toContain(JSON.stringify(found));
    this.#known = Math.max(this.#known, oldest + candidates.indexOf(JSON.stringify(found)));
  }
}

async function readAll(store: TableStore): Promise<Row[]> {
  const page = await store.openTable('account', 'T').readPage(planQuery(undefined, { rowsMax: 1000 }));
  if (isRejection(page)) throw new Error('the table is there');
  return readState(page.rows);
}

/** Runs a test on a store. The test may close and reopen it. */
async function withStore(
  { engine, cacheBytes }: Ground,
  test: (store: TableStore, reopen: () => Promise<TableStore>) => Promise<void>,
): Promise<void> {
  const place = await makePlace(engine);
  let store: TableStore | undefined;
  const open = async () => {
    store = await place.open({ clock: createClock(), cacheBytes });
    return store;
  };
  try {
    await test(await open(), open);
  } finally {
    await store?.close();
    await place.remove();
  }
}

const steps = fc.array(step, { minLength: 10, maxLength: 80, size: 'max' });

describe('concurrent transactions', () => {
  it.each(
    groundsOf<Ground & { numRuns: number }>([
      { engine: 'memory', cacheBytes: 0, numRuns: 50 },
      { engine: 'memory', cacheBytes: 1_000_000, numRuns: 100 },
      { engine: 'level', cacheBytes: 0, numRuns: 30 },
      { engine: 'level', cacheBytes: 1_000_000, numRuns: 60 },
    ]),
  )(
    'are serialized, and every page shows the state between two of them: on $engine, with $cacheBytes bytes of cache',
    async ({ numRuns, ...ground }) => {
      await withStore(ground, async (store) => {
        const property = fc
          .asyncProperty(steps, async (asked) => {
            const session = new Session(store);
            await session.run(asked);
            await session.settle();
            expect(await readAll(store)).toEqual(show(session.model.state, 0));
          })
          .beforeEach(async () => void (await store.createTable('account', 'T')))
          .afterEach(async () => void (await store.deleteTable('account', 'T')));
        await fc.assert(property, { numRuns: runs(numRuns) });
      });
    },
  );

  const closed = groundsOf<Ground>([{ engine: 'level', cacheBytes: 1_000_000 }]);
  it.each(closed)('are stored whole or not at all when the store closes during them: on $engine', async (ground) => {
    const lives = fc.array(steps, { minLength: 2, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(lives, (ofLives) =>
        withStore(ground, async (first, reopen) => {
          let store = first;
          await store.createTable('account', 'T');
          let kept: State = new Map();
          for (const asked of ofLives) {
            const session = new Session(store);
            session.model.states[0] = kept;
            // Reads may fail when the store closes; transactions may not.
            await session.run(asked.filter(({ kind }) => kind !== 'read' && kind !== 'get'));
            await Promise.all([store.close(), session.settle()]);
            store = await reopen();
            kept = session.model.state;
            expect(await readAll(store)).toEqual(show(kept, 0));
          }
        }),
      ),
      { numRuns: runs(10) },
    );
  });

  const scanned = groundsOf<Ground>([
    { engine: 'memory', cacheBytes: 0 },
    { engine: 'memory', cacheBytes: 64 * 1024 },
    { engine: 'level', cacheBytes: 0 },
    { engine: 'level', cacheBytes: 64 * 1024 },
    { engine: 'level', cacheBytes: 32 * 1024 * 1024 },
  ]);
  it.each(scanned)(
    'are not seen in part by a scan of thousands of rows: on $engine, with $cacheBytes bytes of cache',
    async (ground) => {
      await withStore(ground, async (store) => {
        await store.createTable('account', 'T');
        const filling = Array.from({ length: 2500 }, (_, at) => writeOf(`m${at}`, 0));
        await store.openTable('account', 'T').commit([writeOf('first', 0), writeOf('last', 0), ...filling]);
        const plan = planQuery(parseFilter("PartitionKey eq 'p' and Writer ge 0"), { rowsMax: 10_000 });

        const read = async () => {
          // Scans until it has seen the rows change ten times.
          for (const seen = new Set<number>(); seen.size < 10; ) {
            const page = await store.openTable('account', 'T').readPage(plan);
            const rows = new Map(isRejection(page) ? [] : readState(page.rows));
            expect(rows.size).toBe(filling.length + 2);
            expect(rows.get('first')).toBe(rows.get('last'));
            seen.add(rows.get('first') ?? -1);
            // The engine in memory never waits. Without this line no other operation would get a turn.
            await setImmediate();
          }
        };
        let reading = true;
        const write = async () => {
          for (let writer = 1; reading; writer++) {
            await store.openTable('account', 'T').commit([writeOf('last', writer), writeOf('first', writer)]);
            await setImmediate();
          }
        };
        const writing = write();
        await Promise.all([read(), read(), read()]).finally(() => {
          reading = false;
        });
        await writing;
      });
    },
  );
});

function writeOf(rowKey: string, writer: number): Change {
  const properties = [{ name: 'Writer', type: 'Edm.Int32', json: String(writer), valueBytes: 4 }] as const;
  return { kind: 'replace', key: { partitionKey: 'p', rowKey }, properties, ifMatch: undefined };
}
