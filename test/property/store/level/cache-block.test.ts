import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EntityText, type Property, writeEntityText } from '../../../../src/entity/stored/entity.js';
import { type RecordChange, tombstone } from '../../../../src/store/level/engine/engine.js';
import { CacheBlock } from '../../../../src/store/level/read/cache-block.js';
import type { Column } from '../../../../src/store/level/read/cache-column.js';
import { runs } from '../../../support/arbitrary/property-runs.js';

/** A row with a short property, and a text that is long enough for V8 to store a substring of it as a view. */
interface Row {
  readonly n?: number | undefined;
  readonly text?: string | undefined;
}

const keys = Array.from({ length: 12 }, (_, at) => `key${String(at).padStart(2, '0')}`);
const columns = ['N', 'Text', 'Missing'] as const;

function textOf(key: string, { n, text }: Row): EntityText {
  const properties: Property[] = [];
  if (n !== undefined) properties.push({ name: 'N', type: 'Edm.Int32', json: String(n), valueBytes: 4 });
  if (text !== undefined)
    properties.push({ name: 'Text', type: 'Edm.String', json: JSON.stringify(text), valueBytes: 8 });
  return writeEntityText({ partitionKey: 'p', rowKey: key }, '2020-01-01T00:00:00Z', properties);
}

const row: fc.Arbitrary<Row> = fc.record({
  n: fc.option(fc.integer({ min: 0, max: 99 }), { nil: undefined }),
  text: fc.option(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 30 }), { nil: undefined }),
});

/** Writes a row, or removes it: a tombstone is one way. */
const write = fc.record({
  key: fc.constantFrom(...keys),
  row: fc.oneof({ weight: 3, arbitrary: row }, fc.constantFrom(null, tombstone)),
});

/** Makes changes in one call or one by one, or reads the values of a property. */
const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ writes: fc.array(write, { minLength: 1, maxLength: 24 }), areTogether: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ column: fc.constantFrom(...columns) }) },
);

const steps = fc.array(step, { maxLength: 40 });

/** Returns the rows after these steps, and the properties that were read. */
function replay(done: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]) {
  const block = new CacheBlock('key', 'kez', [], []);
  const rows = new Map<string, EntityText>();
  const asked = new Set<string>();
  for (const one of done) {
    if ('column' in one) {
      columnOf(block, one.column);
      asked.add(one.column);
      continue;
    }
    const changes = one.writes.map((made) => ({ key: made.key, value: made.row && textOf(made.key, made.row) }));
    if (one.areTogether) block.apply(inOrder(changes));
    else for (const { key, value } of changes) block.set(key, value || null);
    for (const { key, value } of changes) {
      if (value) rows.set(key, value);
      else rows.delete(key);
    }
    expect(block.bytes).toBeGreaterThanOrEqual(0);
  }
  return { block, rows: new Map([...rows].sort(([a], [b]) => (a < b ? -1 : 1))), asked };
}

/** Returns the last change of each row, in the order of their keys. */
function inOrder(changes: readonly RecordChange[]): readonly RecordChange[] {
  return [...new Map(changes.map((change) => [change.key, change])).values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Returns the values of a property. The block keeps them from then on. */
function columnOf(block: CacheBlock, name: string): Column {
  return block.column(name) ?? block.addColumn(name, columns.length);
}

/** Creates a block with the same rows that was never changed. */
function fresh(from: string, to: string, rows: ReadonlyMap<string, EntityText>): CacheBlock {
  const within = [...rows].filter(([key]) => key >= from && key < to);
  return new CacheBlock(
    from,
    to,
    within.map(([key]) => key),
    within.map(([, text]) => text),
  );
}

/** Expects a block to answer every question like a block that was created from the same rows. */
function expectSame(block: CacheBlock, other: CacheBlock, asked: Iterable<string>): void {
  for (const column of asked) expect(columnOf(block, column)).toEqual(columnOf(other, column));
  expect([block.from, block.to, block.rows, block.bytes]).toEqual([other.from, other.to, other.rows, other.bytes]);
  for (const key of ['key', ...keys, 'kez']) {
    expect(block.get(key)).toBe(other.get(key));
    expect(block.find(key)).toBe(other.find(key));
  }
  for (let at = 0; at < other.rows; at++) expect(block.textAt(at)).toBe(other.textAt(at));
}

describe('a block of the read cache', () => {
  it('equals, after any writes, a new block of the same rows, including its size', () => {
    fc.assert(
      fc.property(steps, (done) => {
        const { block, rows, asked } = replay(done);
        expectSame(block, fresh('key', 'kez', rows), asked);
      }),
      { numRuns: runs(500) },
    );
  });

  it('contains each of its rows, and no other', () => {
    fc.assert(
      fc.property(steps, (done) => {
        const { block, rows } = replay(done);
        for (const key of keys) expect(block.get(key)).toBe(rows.get(key));
        expect(Array.from({ length: block.rows }, (_, at) => block.textAt(at))).toEqual([...rows.values()]);
      }),
    );
  });

  it('is cut into parts and joined again without loss', () => {
    fc.assert(
      fc.property(steps, fc.constantFrom(...keys), (done, border) => {
        const { block, rows, asked } = replay(done);
        const [left, right] = [block.part('key', border), block.part(border, 'kez')];
        expectSame(left, fresh('key', border, rows), asked);
        expectSame(right, fresh(border, 'kez', rows), asked);
        expectSame(left.join(right), fresh('key', 'kez', rows), asked);
        const [first, second] = block.halves();
        expect(Math.abs(first.rows - second.rows)).toBeLessThanOrEqual(1);
        expectSame(first.join(second), fresh('key', 'kez', rows), asked);
      }),
    );
  });

  it('passes its age on to its parts and to blocks that it is joined with', () => {
    const old = fresh('key', 'key05', new Map());
    const young = fresh('key05', 'kez', new Map());
    [old.usedAt, young.usedAt] = [3, 7];
    expect(old.join(young).usedAt).toBe(7);
    expect(young.part('key06', 'key07').usedAt).toBe(7);
  });

  it('keeps the most recently used columns up to the limit, and counts no others', () => {
    const rows = new Map([['key01', textOf('key01', { n: 1, text: 'a' })]]);
    const block = fresh('key', 'kez', rows);
    for (const name of ['N', 'Text']) block.addColumn(name, 2);
    expect(block.column('N')?.json).toEqual(['1']);
    block.addColumn('Missing', 2);

    expect(columns.map((name) => block.column(name) !== undefined)).toEqual([true, false, true]);
    const same = fresh('key', 'kez', rows);
    for (const name of ['N', 'Missing']) same.addColumn(name, 2);
    expect(block.bytes).toBe(same.bytes);
  });

  it('does not change the parts that were cut from it', () => {
    const block = fresh('key', 'kez', new Map([['key01', textOf('key01', { n: 1 })]]));
    const part = block.part('key', 'key05');
    block.set('key01', null);
    expect(part.get('key01')).toBe(textOf('key01', { n: 1 }));
  });
});
