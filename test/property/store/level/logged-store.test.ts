import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClock } from '../../../../src/clock/clock.js';
import type { Change } from '../../../../src/entity/stored/change.js';
import { keyOf } from '../../../../src/entity/stored/write-row.js';
import { openStore } from '../../../../src/store/open-store.js';
import { isRejection, type Store } from '../../../../src/store/store.js';
import { runs } from '../../../support/arbitrary/property-runs.js';
import { makeFolder } from '../../../support/programs/make-folder.js';
import { copyAsKilled } from '../../../support/store/copy-as-killed.js';
import { account, insert, keyAt, numberOf, remove, replace } from '../../../support/store/store-changes.js';

const rowKeys = Array.from({ length: 300 }, (_, at) => `r${String(at).padStart(3, '0')}`);
const table = fc.constantFrom('One', 'Two');
const stretch = fc.record({ from: fc.nat(299), length: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(100)) });

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), table, stretch, value: fc.nat(99) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('delete' as const), table, stretch }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('page' as const), table, rowsMax: fc.constantFrom(1, 10, 1000) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('view' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('drop' as const, 'empty' as const), table }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('keep' as const, 'restore' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('swept' as const, 'kill' as const, 'close' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

type Rows = ReadonlyMap<string, number>;
type Tables = Readonly<Record<string, Rows>>;

/** A store on disk, and a model of it. */
class Tested {
  #location = '';
  #store: Store | undefined;
  readonly #locations: string[] = [];
  readonly #cacheBytes: number;
  readonly #durability: 'os' | 'fsync';
  #model: Tables = { One: new Map(), Two: new Map() };
  #kept: Tables | undefined;

  constructor(cacheBytes: number, durability: 'os' | 'fsync') {
    this.#cacheBytes = cacheBytes;
    this.#durability = durability;
  }

  get store(): Store {
    if (!this.#store) throw new Error('the store is not open');
    return this.#store;
  }

  async open(isCopy = false): Promise<void> {
    const from = this.#location;
    this.#location = await makeFolder();
    this.#locations.push(this.#location);
    if (isCopy) copyAsKilled(from, this.#location);
    await this.#openHere('os');
  }

  async #openHere(durability: 'os' | 'fsync'): Promise<void> {
    const reports: unknown[] = [];
    this.#store = await openStore(
      { engine: 'level', location: this.#location },
      { clock: createClock(), cacheBytes: this.#cacheBytes, durability, report: (error) => reports.push(error) },
    );
    expect(reports).toEqual([]);
  }

  async dispose(): Promise<void> {
    await this.store.close();
    for (const location of this.#locations) await rm(location, { recursive: true });
  }

  async run(done: Step): Promise<void> {
    switch (done.kind) {
      case 'put':
      case 'delete': {
        const rows = new Map(this.#model[done.table]);
        const { from, length } = done.stretch;
        const changes = rowKeys.slice(from, from + length).flatMap((row): Change[] => {
          const isThere = rows.has(row);
          if (done.kind === 'put') {
            rows.set(row, done.value);
            return [isThere ? replace(keyAt(row), done.value) : insert(keyAt(row), done.value)];
          }
          rows.delete(row);
          return isThere ? [remove(keyAt(row))] : [];
        });
        if (changes.length === 0) return;
        expect(isRejection(await this.store.openTable(account, done.table).commit(changes))).toBe(false);
        this.#model = { ...this.#model, [done.table]: rows };
        return;
      }
      case 'page':
        return this.#checkPage(done.table, done.rowsMax);
      case 'view':
        return this.#checkView();
      case 'drop':
        await this.store.deleteTable(account, done.table);
        await this.store.createTable(account, done.table);
        this.#model = { ...this.#model, [done.table]: new Map() };
        return;
      case 'empty':
        await this.store.snapshots.exchange({ emptied: [{ account, names: [done.table] }] });
        this.#model = { ...this.#model, [done.table]: new Map() };
        return;
      case 'keep':
        await this.store.snapshots.take('kept', [account]);
        this.#kept = this.#model;
        return;
      case 'restore':
        if (!this.#kept) return;
        await this.store.snapshots.exchange({
          restored: { snapshot: 'kept', accounts: [{ from: account, to: account }] },
        });
        this.#model = this.#kept;
        return;
      case 'swept':
        return this.store.swept();
      case 'close':
        await this.store.close();
        return this.#openHere(this.#durability);
      case 'kill': {
        const killed = this.store;
        await this.open(true);
        // As after the end of its process, nothing of it is used again.
        await killed.close();
      }
    }
  }

  /** Checks all rows, by pages, by key and in a view. */
  async check(): Promise<void> {
    for (const name of ['One', 'Two']) {
      await this.#checkPage(name, 1000);
      for (const row of ['r000', 'r001', 'r100', 'r299']) {
        const text = await this.store.openTable(account, name).readEntity(keyAt(row));
        expect(typeof text === 'object' ? text : numberOf(text)).toBe(this.#model[name]?.get(row));
      }
    }
    await this.#checkView();
  }

  async #checkPage(name: string, rowsMax: number): Promise<void> {
    const page = await this.store.openTable(account, name).readPage({ ranges: [{}], rowsMax });
    if (isRejection(page)) throw new Error(page.reason);
    const rows = page.rows.map((text) => [keyOf(text, 'RowKey'), numberOf(text)]);
    const expected = inOrder(this.#model[name]);
    expect(rows).toEqual(expected.slice(0, rowsMax));
    expect(page.next?.rowKey).toBe(expected[rowsMax]?.[0]);
  }

  async #checkView(): Promise<void> {
    const found: Record<string, [string, number | undefined][]> = {};
    let current: [string, number | undefined][] = [];
    const view = await this.store.openView(() => true);
    for await (const part of view.read()) {
      if (part.kind === 'table') {
        current = [];
        found[part.name] = current;
      }
      if (part.kind === 'entities')
        for (const text of part.texts) current.push([keyOf(text, 'RowKey'), numberOf(text)]);
    }
    await view.close();
    expect(found).toEqual({ One: inOrder(this.#model['One']), Two: inOrder(this.#model['Two']) });
  }
}

function inOrder(rows: Rows | undefined): [string, number][] {
  return [...(rows ?? [])].sort(([one], [other]) => (one < other ? -1 : 1));
}

describe('a store whose newest commits are in its log', () => {
  it.each([
    ['without a cache', 0, 'os'],
    ['with a cache', 1_000_000, 'os'],
    ['that is sometimes opened without the log', 0, 'fsync'],
  ] as const)(
    'has every acknowledged commit, also after a kill, %s',
    async (_, cacheBytes, durability) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), async (steps) => {
          const tested = new Tested(cacheBytes, durability);
          await tested.open();
          await tested.store.createTable(account, 'One');
          await tested.store.createTable(account, 'Two');
          try {
            for (const one of steps) await tested.run(one);
            await tested.check();
            await tested.run({ kind: 'kill' });
            await tested.check();
          } finally {
            await tested.dispose();
          }
        }),
        { numRuns: runs(5) },
      );
    },
    60_000,
  );
});
