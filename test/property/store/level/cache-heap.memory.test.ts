import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClock } from '../../../../src/clock/clock.js';
import type { Change } from '../../../../src/entity/stored/change.js';
import type { Property } from '../../../../src/entity/stored/entity.js';
import { parseFilter } from '../../../../src/query/filter/parse-filter.js';
import { planQuery } from '../../../../src/query/plan/plan-query.js';
import { openStore } from '../../../../src/store/open-store.js';
import type { Store } from '../../../../src/store/store.js';
import { runs } from '../../../support/arbitrary/property-runs.js';
import { usedHeapBytes } from '../../../support/measures/used-heap.js';
import { makeFolder } from '../../../support/programs/make-folder.js';
import { account } from '../../../support/store/store-changes.js';

const mib = 1024 * 1024;

const digits = (number: number) => String(number).padStart(8, '0');
const text = (name: string, value: string): Property => {
  return { name, type: 'Edm.String', json: `"${value}"`, valueBytes: 0 };
};

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

async function open(cacheBytes: number): Promise<void> {
  store = await openStore({ engine: 'level', location: folder }, { clock: createClock(), cacheBytes });
}

/** Fills a table with rows of this many characters. */
async function fill(table: string, rows: number, characters: number, version = ''): Promise<void> {
  await store.createTable(account, table);
  for (let at = 0; at < rows; at += 100) {
    const changes = Array.from({ length: Math.min(100, rows - at) }, (_, row): Change => {
      const key = { partitionKey: 'p', rowKey: digits(at + row) };
      const properties = [text('Name', `name ${digits(at + row)}`), text('Text', version + 'x'.repeat(characters))];
      return { kind: 'replace', key, properties, ifMatch: undefined };
    });
    await store.openTable(account, table).commit(changes);
  }
}

function read(table: string, filter: string, rowsMax = 1000): unknown {
  return store.openTable(account, table).readPage(planQuery(parseFilter(filter), { rowsMax }));
}

/** Reads every second row separately, so that no two rows can be joined to one block. */
async function readSingly(table: string, first: number, count: number, rest = ''): Promise<void> {
  for (let row = first; row < first + 2 * count; row += 2) {
    await read(table, `PartitionKey eq 'p' and RowKey eq '${digits(row)}'${rest}`);
  }
}

async function readAbsent(table: string, first: number, count: number): Promise<void> {
  for (let at = first; at < first + count; at++) await read(table, `PartitionKey eq 'none ${digits(at)}'`);
}

describe('the read cache estimates its heap use to within 25 %:', () => {
  beforeEach(() => open(1024 * mib));

  /**
   * Returns the counted bytes divided by the bytes of the heap that the reads add.
   * Callers read something similar first, so that compiled code and object shapes are not measured.
   */
  async function measure(reads: () => Promise<unknown> | unknown): Promise<number> {
    // What was written is held until LevelDB has it.
    await store.swept();
    const [heap, counted] = [await usedHeapBytes(), store.cacheBytes];
    await reads();
    await store.swept();
    return (store.cacheBytes - counted) / ((await usedHeapBytes()) - heap);
  }

  async function expectTrue(reads: () => Promise<unknown> | unknown): Promise<void> {
    const share = await measure(reads);
    expect(share).toBeGreaterThan(0.75);
    expect(share).toBeLessThan(1.25);
  }

  it.each([
    ['small rows', 12_000, 10],
    ['rows of a kilobyte', 4000, 1000],
    ['large rows', 300, 30_000],
  ])('%s', async (_, rows, characters) => {
    await fill('Warm', 1000, characters);
    await read('Warm', 'Missing eq 1');
    await fill('Table', rows, characters);
    await expectTrue(() => read('Table', 'Missing eq 1'));
  });

  it.each([
    ['columns of short texts', "Name eq ''"],
    ['columns of long texts', "Text eq ''"],
  ])('%s', async (_, filter) => {
    await fill('Warm', 1000, 100);
    await read('Warm', filter);
    await fill('Table', 12_000, 100);
    await read('Table', 'Missing eq 1');
    await expectTrue(() => read('Table', filter));
  });

  it('blocks of one row', async () => {
    await fill('Table', 14_000, 10);
    await readSingly('Table', 0, 500);
    await expectTrue(() => readSingly('Table', 2000, 6000));
  });

  it('blocks of one row with a column', async () => {
    await fill('Table', 14_000, 10);
    await readSingly('Table', 0, 500, " and Name eq ''");
    await readSingly('Table', 2000, 6000);
    await expectTrue(() => readSingly('Table', 2000, 6000, " and Name eq ''"));
  });

  it('blocks without a row', async () => {
    await fill('Table', 1, 10);
    await readAbsent('Table', 0, 1000);
    await expectTrue(() => readAbsent('Table', 1000, 4000));
  });

  it('rows that are written after they were read', async () => {
    await fill('Table', 5000, 300);
    await read('Table', 'Missing eq 1');
    await store.swept();
    const [heap, counted] = [await usedHeapBytes(), store.cacheBytes];
    await fill('Table', 5000, 300, 'y');
    // Without the newest commits, which the engine gets later.
    await store.swept();
    const [heapAfter, countedAfter] = [await usedHeapBytes(), store.cacheBytes];
    // Each text replaces another, so a write may add only a little.
    expect(Math.abs(heapAfter - heap - (countedAfter - counted))).toBeLessThan(counted / 4);
  });
});

describe('under hostile queries', () => {
  const bytesMax = 6 * mib;
  const rows = 8000;

  const attack = fc.oneof(
    fc.record({ kind: fc.constant('absent partitions' as const), first: fc.nat(100_000) }),
    fc.record({ kind: fc.constant('single rows' as const), first: fc.nat(rows), filtered: fc.boolean() }),
    fc.record({
      kind: fc.constant('absent properties' as const),
      first: fc.nat(1000),
      names: fc.constantFrom(1, 7, 300),
    }),
    fc.record({ kind: fc.constant('pages' as const), rowsMax: fc.constantFrom(1, 10, 1000), first: fc.nat(rows) }),
    fc.record({ kind: fc.constant('writes' as const), version: fc.constantFrom('', 'y') }),
  );

  async function run(one: typeof attack extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
    switch (one.kind) {
      case 'absent partitions':
        return readAbsent('Table', one.first, 4000);
      case 'single rows':
        return readSingly('Table', one.first, 2000, one.filtered ? " and Name eq ''" : '');
      case 'absent properties': {
        const names = Array.from({ length: one.names }, (_, at) => `P${one.first + at} eq 1`);
        await read('Table', names.join(' or '));
        break;
      }
      case 'pages':
        for (let at = 0; at < 300; at++) await read('Table', `RowKey ge '${digits(one.first + at)}'`, one.rowsMax);
        break;
      default:
        await fill('Table', 1000, 100, one.version);
    }
  }

  it('the cache stays within its budget, counted and on the heap', async () => {
    await open(bytesMax);
    await fill('Table', rows, 100);
    await fill('Table', 1000, 100, 'y');
    for (const kind of ['absent partitions', 'single rows'] as const) await run({ kind, first: 0, filtered: true });
    await run({ kind: 'absent properties', first: 0, names: 300 });
    await run({ kind: 'pages', first: 0, rowsMax: 1000 });
    await store.reset(account);
    await store.swept();
    const heap = await usedHeapBytes();
    await fill('Table', rows, 100);

    await fc.assert(
      fc.asyncProperty(fc.array(attack, { minLength: 1, maxLength: 6 }), async (attacks) => {
        for (const one of attacks) {
          await run(one);
          expect(store.cacheBytes).toBeLessThanOrEqual(bytesMax);
        }
        expect((await usedHeapBytes()) - heap).toBeLessThan(1.25 * bytesMax + mib);
      }),
      { numRuns: runs(2), endOnFailure: true },
    );
  });
});
