import fc from 'fast-check';
import { MemoryLevel } from 'memory-level';
import { expect, it } from 'vitest';
import { type Engine, tombstone } from '../../../../src/store/level/engine/engine.js';
import { prefixOfLayer, wholeTable } from '../../../../src/store/level/engine/key-encoding.js';
import { mergeRecords } from '../../../../src/store/level/read/merge-rows.js';

/** Records of a layer by row. A tombstone hides the row of a layer below. */
type Records = Map<string, string>;

/** A layer: the prefix of its keys, and what it has. */
interface ModelLayer {
  readonly prefix: string;
  readonly records: Records;
}

const rowKeys = Array.from({ length: 40 }, (_, at) => `p\u0000${String.fromCharCode(65 + at)}`);
const position = fc.nat(rowKeys.length - 1);

/** Neighboring rows, or every other one, all with the same kind of record. */
const run = fc.record({
  from: position,
  rows: fc.integer({ min: 1, max: 40 }),
  every: fc.constantFrom(1, 2),
  isTombstone: fc.boolean(),
});

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('write' as const), runs: fc.array(run, { minLength: 1, maxLength: 2 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('layer' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('merge' as const), at: fc.nat(5), isReadMeanwhile: fc.boolean() }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      above: fc.nat(5),
      from: position,
      // Few rows at first, so that most of the layers is not loaded yet.
      rowsMax: fc.constantFrom(1, 1, 2, 6, undefined),
      isWhole: fc.boolean(),
    }),
  },
);

/** A table with layers, nearest first, and what a reader of them should find. */
class LayeredTable {
  readonly layers: ModelLayer[] = [];
  readonly #engine = new MemoryLevel<string, string>({ storeEncoding: 'utf8' }) as unknown as Engine;
  #made = 0;

  constructor() {
    this.addLayer();
  }

  addLayer(): void {
    this.layers.unshift({ prefix: prefixOfLayer({ account: 'a', id: `layer${this.#made++}` }), records: new Map() });
  }

  async write(row: string, value: string): Promise<void> {
    const [nearest] = this.layers as [ModelLayer];
    // The lowest layer needs no tombstones.
    const stored = value === tombstone && this.layers.length === 1 ? null : value;
    await this.#put(nearest, row, stored);
  }

  /** Merges a layer into the one below it. */
  async merge(at: number): Promise<void> {
    const [upper, lower] = this.layers.slice(at, at + 2);
    if (!upper || !lower) return;
    for (const [row, value] of upper.records) {
      await this.#put(lower, row, value === tombstone && lower === this.layers.at(-1) ? null : value);
    }
    this.layers.splice(at, 1);
    for (const row of upper.records.keys()) await this.#engine.del(upper.prefix + row);
  }

  /** Begins to read the layers from one on. What it yields is what they had then. */
  read(above: number, from: number, rowsMax: number | undefined): AsyncGenerator<{ rows: readonly string[] }> {
    const layers = this.layers.slice(Math.min(above, this.layers.length - 1));
    const { prefix, lt } = { prefix: layers[0]?.prefix ?? '', lt: wholeTable(layers[0]?.prefix ?? '').lt };
    const sources = layers.map((layer) => ({ prefix: layer.prefix, tail: [] }));
    const range = { gte: prefix + rowKeys[from], lt };
    return mergeRecords(this.#engine, sources, range, { rowsMax });
  }

  expected(above: number, from: number): readonly string[] {
    const layers = this.layers.slice(Math.min(above, this.layers.length - 1));
    return rowKeys.slice(from).filter((row) => {
      const found = layers.find(({ records }) => records.has(row))?.records.get(row);
      return found !== undefined && found !== tombstone;
    });
  }

  async #put(layer: ModelLayer, row: string, value: string | null): Promise<void> {
    if (value === null) {
      layer.records.delete(row);
      await this.#engine.del(layer.prefix + row);
    } else {
      layer.records.set(row, value);
      await this.#engine.put(layer.prefix + row, value);
    }
  }
}

/** Returns the rows of a reading, or those before it has enough. */
async function rowsOf(reading: AsyncIterable<{ rows: readonly string[] }>, rowsMax = Infinity): Promise<string[]> {
  const found: string[] = [];
  for await (const { rows } of reading) {
    found.push(...rows);
    if (found.length >= rowsMax) break;
  }
  return found.slice(0, rowsMax);
}

it('layers show their nearest rows, whatever was read, written and merged before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
      const table = new LayeredTable();
      for (const row of rowKeys.filter((_, nth) => nth % 2 === 0)) await table.write(row, 'first');
      for (const [at, one] of steps.entries()) {
        if (one.kind === 'layer') table.addLayer();
        else if (one.kind === 'write') {
          for (const { from, rows, every, isTombstone } of one.runs) {
            for (const row of rowKeys.slice(from, from + rows).filter((_, nth) => nth % every === 0)) {
              await table.write(row, isTombstone ? tombstone : `value ${at}`);
            }
          }
        } else if (one.kind === 'read') {
          const { above, from, rowsMax, isWhole } = one;
          const wanted = isWhole ? undefined : rowsMax;
          const found = await rowsOf(table.read(above, from, rowsMax), wanted);
          expect(found).toEqual(table.expected(above, from).slice(0, wanted));
        } else {
          // A reader that began before the merge finds what there was.
          const [all, reading] = [table.expected(0, 0), one.isReadMeanwhile ? table.read(0, 0, 1) : undefined];
          const first = await reading?.next();
          await table.merge(one.at);
          if (!reading || first?.done) continue;
          expect([...(first?.value?.rows ?? []), ...(await rowsOf(reading))]).toEqual(all);
        }
      }
    }),
    { numRuns: 100 },
  );
});
