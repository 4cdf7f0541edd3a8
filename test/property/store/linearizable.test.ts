import { setImmediate as otherWork } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Change } from '../../../src/entity/change.js';
import { createClock } from '../../../src/entity/clock.js';
import { type EntityText, etagOf } from '../../../src/entity/entity.js';
import { keyOf } from '../../../src/entity/write-row.js';
import type { QueryPlan } from '../../../src/query/plan.js';
import { isRefusal, type TableStore } from '../../../src/store/store.js';
import { History, linearize, type Step } from '../../support/history.js';
import { runs } from '../../support/property-runs.js';
import { shortenTurns } from '../../support/short-turns.js';
import { account, keyAt, numbered, numberOf, readEntity } from '../../support/store-changes.js';
import { groundsOf, makePlace, type TestPlace } from '../../support/test-engines.js';

const rows = ['a', 'b', 'c'] as const;
type RowName = (typeof rows)[number];

/** The number of each row. A missing row has no entry. */
type State = Readonly<Partial<Record<RowName, number>>>;

const row = fc.constantFrom(...rows);

/** One change of a transaction and its condition. `seen` is the last tag that the client has read for the row. */
const change = fc.record({
  row,
  kind: fc.constantFrom('insert' as const, 'replace' as const, 'merge' as const, 'delete' as const),
  condition: fc.constantFrom('none' as const, 'any' as const, 'seen' as const, 'seen' as const),
});

const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      changes: fc.uniqueArray(change, { minLength: 1, maxLength: 3, selector: (one) => one.row }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('read' as const), row }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('page' as const),
      from: row,
      to: row,
      rowsMax: fc.constantFrom(1, 10),
      filtered: fc.boolean(),
    }),
  },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** The actions of a client, each with the number of turns it gives other clients first. */
const script = fc.array(fc.tuple(action, fc.nat(3)), { minLength: 1, maxLength: 9, size: 'max' });
const scripts = fc.array(script, { minLength: 2, maxLength: 4 });

class Client {
  readonly #store: TableStore;
  readonly #table: string;
  readonly #history: History<State>;
  readonly #nextNumber: () => number;
  /** The last number of each row that this client has read, and its tag. */
  readonly #seen = new Map<RowName, { readonly number: number; readonly etag: string }>();

  constructor(store: TableStore, table: string, history: History<State>, nextNumber: () => number) {
    this.#store = store;
    this.#table = table;
    this.#history = history;
    this.#nextNumber = nextNumber;
  }

  async run(actions: readonly (readonly [Action, number])[]): Promise<void> {
    for (const [one, pauses] of actions) {
      for (let pause = 0; pause < pauses; pause++) await otherWork();
      if (one.kind === 'write') await this.#write(one.changes);
      else if (one.kind === 'read') await this.#read(one.row);
      else await this.#readPage(one);
    }
  }

  #see(name: RowName, text: EntityText | null | undefined): void {
    const number = numberOf(text);
    if (text && number !== undefined) this.#seen.set(name, { number, etag: etagOf(text) });
  }

  async #write(asked: Extract<Action, { kind: 'write' }>['changes']): Promise<void> {
    const number = this.#nextNumber();
    const judged = asked.map((one) => ({ ...one, tag: this.#tagOf(one) }));
    const changes = judged.map(({ row: name, kind, tag }): Change => {
      const ifMatch = typeof tag === 'object' ? tag.etag : tag;
      const content = { key: keyAt(name), properties: numbered(number) };
      return kind === 'insert' ? { kind, ...content } : { kind, ...content, ifMatch };
    });
    const name = `write ${number}: ${judged.map(({ row: of, kind, tag }) => `${kind} ${of} if ${typeof tag === 'object' ? tag.number : tag}`)}`;
    const outcome = await this.#history.record(
      name,
      () => this.#store.openTable(account, this.#table).commit(changes),
      (answer, state) => {
        let after: State = state;
        for (const [at, { row: of, kind, tag }] of judged.entries()) {
          const reason = reasonAgainst(kind, after[of], typeof tag === 'object' ? tag.number : tag);
          if (reason !== undefined) {
            return isRefusal(answer) && answer.reason === reason && answer.at === at ? { after: state } : 'impossible';
          }
          after = { ...after, [of]: kind === 'delete' ? undefined : number };
        }
        return isRefusal(answer) ? 'impossible' : { after };
      },
    );
    if (isRefusal(outcome)) return;
    for (const [at, { row: of }] of judged.entries()) this.#see(of, outcome[at]);
  }

  #tagOf({ row: name, kind, condition }: { row: RowName; kind: Change['kind']; condition: string }) {
    if (kind === 'insert' || (condition === 'none' && kind !== 'delete')) return undefined;
    return condition === 'seen' ? (this.#seen.get(name) ?? '*') : '*';
  }

  async #read(name: RowName): Promise<void> {
    const text = await this.#history.record(
      `read ${name}`,
      () => readEntity(this.#store, this.#table, keyAt(name)),
      (answer, state) => (numberOf(answer) === state[name] ? { after: state } : 'impossible'),
    );
    this.#see(name, text);
  }

  async #readPage({ from, to, rowsMax, filtered }: Extract<Action, { kind: 'page' }>): Promise<void> {
    const plan: QueryPlan = {
      ranges: [{ from: { ...keyAt(from), side: 'before' }, to: { ...keyAt(to), side: 'after' } }],
      rowsMax,
      ...(filtered && {
        filter: { kind: 'comparison', property: 'N', operator: 'ge', literal: { type: 'Edm.Int32', value: '0' } },
        matches: () => true,
      }),
    };
    await this.#history.record(
      `page ${from}-${to}`,
      () => this.#store.openTable(account, this.#table).readPage(from <= to ? plan : { ...plan, ranges: [] }),
      (answer, state): Step<State> => {
        if (isRefusal(answer)) return 'impossible';
        const wanted = rows.filter((name) => name >= from && name <= to && state[name] !== undefined);
        const expected = wanted.slice(0, rowsMax).map((name) => `${name}${state[name]}`);
        const found = answer.rows.map((text) => `${keyOf(text, 'RowKey')}${numberOf(text)}`);
        const same = String(found) === String(expected) && answer.next?.rowKey === wanted[rowsMax];
        return same ? { after: state } : 'impossible';
      },
    );
  }
}

/** Returns why a change must be refused for a row with this number, or for a missing row. */
function reasonAgainst(
  kind: Change['kind'],
  number: number | undefined,
  asked: number | string | undefined,
): string | undefined {
  if (kind === 'insert') return number === undefined ? undefined : 'entity-exists';
  if (asked === undefined) return undefined;
  if (number === undefined) return 'entity-missing';
  return asked === '*' || asked === number ? undefined : 'etag-differs';
}

const grounds = groundsOf([
  { engine: 'memory', cacheBytes: 0, turns: 'long' },
  { engine: 'memory', cacheBytes: 64 * 1024, turns: 'long' },
  { engine: 'memory', cacheBytes: 64 * 1024 * 1024, turns: 'short' },
  { engine: 'level', cacheBytes: 0, turns: 'long' },
  { engine: 'level', cacheBytes: 64 * 1024, turns: 'short' },
  { engine: 'level', cacheBytes: 64 * 1024 * 1024, turns: 'long' },
  { engine: 'level', cacheBytes: 64 * 1024 * 1024, turns: 'short' },
]);

describe.each(grounds)('a store in $engine with a read cache of $cacheBytes bytes and $turns turns', (ground) => {
  const { engine, cacheBytes, turns } = ground;
  let restore = () => {};
  beforeEach(() => {
    if (turns === 'short') restore = shortenTurns();
  });
  afterEach(() => restore());
  let place: TestPlace;
  let store: TableStore;
  let tables = 0;
  beforeAll(async () => {
    place = await makePlace(engine);
    store = await place.open({ clock: createClock(), cacheBytes });
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  it('is linearizable: all concurrent clients observe one sequence of whole states', async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (all) => {
        const table = `Table${tables++}`;
        await store.createTable(account, table);
        const history = new History<State>();
        let numbers = 0;
        await Promise.all(all.map((one) => new Client(store, table, history, () => ++numbers).run(one)));
        const { complete, order } = linearize(history.entries, {}, (state) => String(rows.map((name) => state[name])));
        const told = history.entries.map(({ name, begun, ended }) => `${begun}-${ended} ${name}`);
        expect(complete, `possible up to ${order.join('; ')}\nof ${told.join('\n')}`).toBe(true);
        await store.deleteTable(account, table);
      }),
      { numRuns: runs(150), interruptAfterTimeLimit: 20_000 },
    );
  });
});
