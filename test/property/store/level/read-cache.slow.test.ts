import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EntityText, writeEntityText } from '../../../../src/entity/stored/entity.js';
import { keyOf } from '../../../../src/entity/stored/write-row.js';
import type { Filter } from '../../../../src/query/filter/filter.js';
import type { QueryPlan } from '../../../../src/query/plan/plan.js';
import { EventLoopTurn } from '../../../../src/store/event-loop-turn.js';
import { GrowingPage } from '../../../../src/store/growing-page.js';
import { Tail } from '../../../../src/store/level/log/tail.js';
import { type RangeFill, ReadCache } from '../../../../src/store/level/read/read-cache.js';
import { CacheWalk } from '../../../../src/store/level/read/read-page.js';
import { runs } from '../../../support/arbitrary/property-runs.js';

const prefixes = ['entity\u0000a\u0000t1\u0000', 'entity\u0000a\u0000t2\u0000'] as const;
const rowNames = Array.from({ length: 20 }, (_, at) => `r${String(at).padStart(2, '0')}`);

const keyIn = (prefix: string, row: string) => `${prefix}p\u0000${row}`;
const endOf = (prefix: string) => `${prefix.slice(0, -1)}\u0001`;

function textOf(row: string, value: number): EntityText {
  const properties = [{ name: 'N', type: 'Edm.Int32', json: String(value), valueBytes: 4 } as const];
  return writeEntityText({ partitionKey: 'p', rowKey: row }, '2020-01-01T00:00:00Z', properties);
}

const isEven: Filter = {
  kind: 'or',
  operands: [0, 2, 4, 6, 8].map((value) => ({
    kind: 'comparison',
    property: 'N',
    operator: 'eq',
    literal: { type: 'Edm.Int32', value: String(value) },
  })),
};

const table = fc.constantFrom(...prefixes);
const row = fc.constantFrom(...rowNames);
const value = fc.nat(9);

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      table,
      isDeferred: fc.boolean(),
      rows: fc.array(fc.tuple(row, fc.option(value)), { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('begin' as const), table, from: row, to: fc.option(row) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('continue' as const),
      which: fc.nat(),
      rows: fc.integer({ min: 1, max: 8 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('get' as const), table, row }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('page' as const),
      table,
      ranges: fc.uniqueArray(fc.nat(rowNames.length), { minLength: 2, maxLength: 4 }),
      rowsMax: fc.integer({ min: 1, max: 25 }),
      filtered: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), table }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A read in progress: the rows of its snapshot, and how far it has read. */
interface Reading {
  readonly fill: RangeFill;
  readonly prefix: string;
  readonly to: string;
  readonly seen: ReadonlyMap<string, EntityText>;
  from: string;
}

/** A cache in front of a store (two maps), with readers that fill it gradually during writes. */
class Scene {
  readonly cache: ReadCache;
  readonly #bytesMax: number;
  /** The rows with changes that the cache may not have applied yet. A reader of one row finds these in the log. */
  readonly #logged = new Set<string>();
  readonly #store = new Map<string, Map<string, EntityText>>(prefixes.map((prefix) => [prefix, new Map()]));
  readonly #readings: Reading[] = [];
  /** Everything that was written: the readers are inside the gate. */
  readonly #tail = new Tail();
  /** Number of reads that the cache could answer. */
  answered = 0;

  constructor(bytesMax: number) {
    this.cache = new ReadCache(bytesMax);
    this.#bytesMax = bytesMax;
  }

  take(step: Step): void {
    switch (step.kind) {
      case 'write':
        this.#write(step.table, step.rows, step.isDeferred);
        break;
      case 'begin':
        this.#begin(step.table, step.from, step.to);
        break;
      case 'continue':
        this.#continue(step.which, step.rows);
        break;
      case 'get':
        this.#get(step.table, step.row);
        break;
      case 'page':
        this.#readPage(step);
        this.#logged.clear();
        break;
      default:
        // A real store never uses the id of a dropped table again. This model reuses it for a new, empty table.
        this.cache.drop(step.table);
        this.#logged.clear();
        for (const key of this.#rowsOf(step.table).keys()) this.#tail.add(key, null);
        this.#store.set(step.table, new Map());
    }
    expect(this.cache.bytes).toBeGreaterThanOrEqual(0);
    expect(this.cache.bytes).toBeLessThanOrEqual(this.#bytesMax);
  }

  /** Drops everything, and expects the cache to be empty. */
  end(): void {
    for (const prefix of prefixes) this.cache.drop(prefix);
    expect(this.cache.bytes).toBe(0);
  }

  #rowsOf(prefix: string): Map<string, EntityText> {
    return this.#store.get(prefix) ?? new Map();
  }

  #write(prefix: string, rows: readonly (readonly [string, number | null])[], isDeferred: boolean): void {
    const changes = rows.map(([name, number]) => ({
      key: keyIn(prefix, name),
      value: number === null ? null : textOf(name, number),
    }));
    const stored = this.#rowsOf(prefix);
    for (const { key, value: text } of changes) {
      this.#tail.add(key, text);
      if (text === null) stored.delete(key);
      else stored.set(key, text);
    }
    if (isDeferred) {
      this.cache.defer(changes);
      for (const { key } of changes) this.#logged.add(key);
    } else {
      this.cache.defer(changes);
      this.cache.applyDeferred();
      this.#logged.clear();
    }
  }

  #begin(prefix: string, from: string, to: string | null): void {
    const fill = this.cache.startFill(prefix, this.cache.startRead(), this.#tail);
    const end = to === null ? endOf(prefix) : keyIn(prefix, to);
    const seen = new Map(sorted(this.#rowsOf(prefix)));
    this.#readings.push({ fill, prefix, seen, from: keyIn(prefix, from), to: end });
  }

  #continue(which: number, rows: number): void {
    const at = which % Math.max(1, this.#readings.length);
    const reading = this.#readings[at];
    if (!reading || reading.from >= reading.to) return;
    const rest = [...reading.seen].filter(([key]) => key >= reading.from && key < reading.to);
    const chunk = rest.slice(0, rows);
    const isLast = chunk.length === rest.length;
    const to = isLast ? reading.to : `${chunk.at(-1)?.[0]}\u0000`;
    reading.fill.keep(
      reading.from,
      to,
      chunk.map(([key]) => key),
      chunk.map(([, text]) => text),
    );
    reading.from = to;
    if (!isLast) return;
    this.#readings.splice(at, 1);
  }

  #get(prefix: string, name: string): void {
    const key = keyIn(prefix, name);
    const found = this.#logged.has(key) ? undefined : this.cache.get(prefix, key);
    if (found === undefined) return;
    this.answered++;
    expect(found).toBe(this.#rowsOf(prefix).get(keyIn(prefix, name)) ?? null);
  }

  #readPage({ table: prefix, ranges: borders, rowsMax, filtered }: Extract<Step, { kind: 'page' }>): void {
    const cuts = [...borders]
      .sort((a, b) => a - b)
      .map((at) => (rowNames[at] ? keyIn(prefix, rowNames[at]) : endOf(prefix)));
    const ranges = cuts.flatMap((gte, at) => (at % 2 === 0 && cuts[at + 1] ? [{ gte, lt: cuts[at + 1] ?? '' }] : []));
    const wanted = sorted(this.#rowsOf(prefix)).filter(
      ([key, text]) =>
        ranges.some(({ gte, lt }) => key >= gte && key < lt) && (!filtered || /"N":[02468]\}/.test(text)),
    );
    const plan: QueryPlan = { ranges: [], rowsMax, ...(filtered && { filter: isEven }) };
    const walk = new CacheWalk(this.cache, prefix, ranges, plan);
    const growing = new GrowingPage(plan);
    let state = walk.advance(growing, new EventLoopTurn());
    while (state === 'paused') state = walk.advance(growing, new EventLoopTurn());
    const page = growing.finish();
    if (state === 'done') {
      this.answered++;
      expect(page.rows).toEqual(wanted.slice(0, rowsMax).map(([, text]) => text));
      const next = wanted[rowsMax]?.[1];
      expect(page.next?.rowKey).toBe(next && keyOf(next, 'RowKey'));
    } else {
      // The cached rows are the front of the page.
      const known = wanted.filter(([key]) => key < (walk.rest[0]?.gte ?? ''));
      expect(page.rows).toEqual(known.map(([, text]) => text));
      expect(walk.rest.at(-1)?.lt).toBe(ranges.at(-1)?.lt);
    }
  }
}

function sorted(rows: ReadonlyMap<string, EntityText>): [string, EntityText][] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
}

describe.each([0, 1500, 5000, 1_000_000])('a read cache of %i bytes', (bytesMax) => {
  it('never returns an outdated row, stays within its bytes, and is empty when all tables are dropped', () => {
    let answered = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
        const scene = new Scene(bytesMax);
        for (const one of steps) scene.take(one);
        scene.end();
        answered += scene.answered;
      }),
      { numRuns: runs(300) },
    );
    if (bytesMax === 0) expect(answered).toBe(0);
    else expect(answered).toBeGreaterThan(runs(300) / 3);
  });
});
