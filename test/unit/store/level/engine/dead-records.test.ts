import { MemoryLevel } from 'memory-level';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DeadRecords } from '../../../../../src/store/level/engine/dead-records.js';
import type { Engine, RecordChange } from '../../../../../src/store/level/engine/engine.js';
import { EngineGate } from '../../../../../src/store/level/engine/engine-gate.js';
import { encodeDroppedKey, entityPrefix } from '../../../../../src/store/level/engine/key-encoding.js';

const account = 'account';
const prefixOf = (table: string) => entityPrefix(account, table);
const endOf = (table: string) => `${prefixOf(table).slice(0, -1)}\u0001`;
const keyOf = (table: string, row: number) => `${prefixOf(table)}p\u0000${String(row).padStart(6, '0')}`;

/** An engine in memory that records the ranges that LevelDB would have to compact. */
class CompactableEngine {
  readonly engine = new MemoryLevel<string, string>({ storeEncoding: 'utf8' }) as unknown as Engine;
  /** The ranges that were compacted. */
  readonly compacted: [from: string, to: string][] = [];
  readonly walkedFrom: string[] = [];
  onCompact = async (): Promise<void> => {};
  onCatchUp = (): void => {};
  hasSpace = true;
  readonly reports: unknown[] = [];
  readonly dead: DeadRecords;

  constructor() {
    const { keys } = this.engine;
    Object.assign(this.engine, {
      compactRange: async (from: string, to: string) => {
        this.compacted.push([from, to]);
        await this.onCompact();
      },
      approximateSize: async () => 0,
      keys: (options: { gte: string; lt?: string }) => {
        if (options.lt !== undefined) this.walkedFrom.push(options.gte);
        return Reflect.apply(keys, this.engine, [options]);
      },
    });
    this.dead = this.open();
  }

  open(): DeadRecords {
    return new DeadRecords(this.engine, {
      write: (changes) => this.write(changes),
      catchUp: async () => this.onCatchUp(),
      gate: new EngineGate(),
      isHeld: () => false,
      checkFreeSpace: async () => {
        if (!this.hasSpace) throw new Error('the disk is full');
      },
      report: (error) => this.reports.push(error),
    });
  }

  async write(changes: readonly RecordChange[]): Promise<void> {
    const batch = this.engine.batch();
    for (const { key, value } of changes) {
      if (value === null) batch.del(key);
      else batch.put(key, value);
    }
    await batch.write();
  }

  async fill(table: string, rows: number): Promise<void> {
    await this.write(Array.from({ length: rows }, (_, row) => ({ key: keyOf(table, row), value: '' })));
  }

  /** Notes a table as dropped, as the store does before it calls `drop`. */
  async noteDropped(table: string): Promise<void> {
    await this.write([{ key: encodeDroppedKey(account, table), value: '' }]);
  }

  async drop(...tables: readonly string[]): Promise<void> {
    for (const table of tables) {
      await this.noteDropped(table);
      this.dead.drop(account, table);
    }
    await this.dead.settled();
  }

  async keys(): Promise<readonly string[]> {
    return (await this.engine.iterator().all()).map(([key]) => key);
  }
}

let tested: CompactableEngine;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  tested = new CompactableEngine();
});
afterEach(async () => {
  await tested.dead.pause();
  vi.useRealTimers();
  expect(tested.reports).toEqual([]);
});

describe('A dropped table', () => {
  it('is swept once: each step starts after the last key of the previous step', async () => {
    await tested.fill('a', 1700);
    await tested.drop('a');
    const starts = tested.walkedFrom.filter((from) => from.startsWith(prefixOf('a')));
    expect(starts).toEqual([prefixOf('a'), ...[499, 999, 1499].map((row) => `${keyOf('a', row)}\u0000`)]);
    expect(await tested.keys()).toEqual([]);
  });

  it('is compacted twice after its sweep, and noted until the first compaction is done', async () => {
    await tested.fill('a', 1000);
    const notes: number[] = [];
    tested.onCompact = async () => void notes.push((await tested.keys()).length);
    await tested.drop('a');
    expect(tested.compacted).toEqual([
      [prefixOf('a'), endOf('a')],
      [prefixOf('a'), endOf('a')],
    ]);
    expect(notes).toEqual([1, 0]);
  });

  it('is compacted in slices if it is large, and each slice starts where the previous one ended', async () => {
    await tested.fill('a', 45_000);
    await tested.drop('a');
    const cuts = [19_999, 39_999].map((row) => `${keyOf('a', row)}\u0000`);
    const slices = [
      [prefixOf('a'), cuts[0]],
      [cuts[0], cuts[1]],
      [cuts[1], endOf('a')],
    ];
    expect(tested.compacted).toEqual([...slices, [prefixOf('a'), endOf('a')]]);
  });

  it('is compacted with other small tables when there are enough, adjacent tables in one range', async () => {
    for (const table of ['a', 'b', 'c', 'd', 'e']) await tested.fill(table, 300);
    await tested.drop('b', 'a', 'e');
    expect(tested.compacted).toEqual([]);
    expect((await tested.keys()).filter((key) => key.startsWith('dropped'))).toEqual([]);
    await tested.drop('c');
    // Table d is not dropped.
    const [first, second] = [
      [prefixOf('a'), endOf('c')],
      [prefixOf('e'), endOf('e')],
    ];
    expect(tested.compacted).toEqual([first, first, second, second]);
  });

  // Readers hold up a batch of the engine, which a compaction waits for.
  it.each([0, 5000])(
    'waits for its next compaction twice as long as the last one took, without the %d ms that readers held it up',
    async (held) => {
      const begun: number[] = [];
      const ended: number[] = [];
      let heldMs = 0;
      tested.onCatchUp = () => {
        vi.advanceTimersByTime(held);
        if (ended.length === 2) heldMs += held;
      };
      tested.onCompact = async () => {
        begun.push(performance.now());
        vi.advanceTimersByTime(100);
        ended.push(performance.now());
      };
      await tested.fill('a', 1000);
      await tested.fill('b', 1000);
      let isSwept = false;
      const dropped = tested.drop('a', 'b').then(() => {
        isSwept = true;
      });
      while (!isSwept) {
        await new Promise((resolve) => setImmediate(resolve));
        vi.advanceTimersByTime(1);
      }
      await dropped;
      expect(begun).toHaveLength(4);
      // Both compactions of the first table have taken 200 ms.
      const pause = (begun[2] ?? 0) - (ended[1] ?? 0) - heldMs;
      expect(pause).toBeGreaterThanOrEqual(400);
      expect(pause).toBeLessThan(1000);
      expect(await tested.keys()).toEqual([]);
    },
  );

  it('is compacted after the next start if a crash interrupted its sweep or compaction', async () => {
    await tested.noteDropped('a');
    tested.dead.resume();
    await tested.dead.settled();
    expect(tested.compacted).toHaveLength(2);
    expect(await tested.keys()).toEqual([]);
  });

  it('stays noted if the store closes during its compaction, which ends with the current slice', async () => {
    await tested.fill('a', 45_000);
    let stopped: Promise<void> | undefined;
    tested.onCompact = async () => {
      stopped ??= tested.dead.pause();
    };
    await tested.drop('a');
    await stopped;
    expect(tested.compacted).toHaveLength(1);
    expect(await tested.keys()).toContain(encodeDroppedKey(account, 'a'));
  });

  it('stays noted while the disk has too little space for a compaction', async () => {
    await tested.fill('a', 1000);
    tested.hasSpace = false;
    await tested.drop('a');
    expect(tested.compacted).toEqual([]);
    expect(await tested.keys()).toEqual([encodeDroppedKey(account, 'a')]);
    tested.hasSpace = true;
    tested.dead.resume();
    await tested.dead.settled();
    expect(tested.compacted).toHaveLength(2);
    expect(await tested.keys()).toEqual([]);
  });

  it('does not slow down later sweeps: notes are read only at the start', async () => {
    tested.dead.resume();
    await tested.dead.settled();
    for (let table = 0; table < 50; table++) await tested.drop(`t${table}`);
    expect(tested.walkedFrom.filter((from) => from.startsWith('dropped'))).toHaveLength(1);
  });
});

describe('A table with many overwritten records', () => {
  const prefix = prefixOf('a');

  it('is compacted when there are enough of them and no write happened for a while', async () => {
    await tested.fill('a', 100);
    tested.dead.count(prefix, 19_999);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(tested.compacted).toEqual([]);

    tested.dead.count(prefix, 1);
    await vi.advanceTimersByTimeAsync(3000);
    await tested.dead.settled();
    expect(tested.compacted).toEqual([
      [prefix, endOf('a')],
      [prefix, endOf('a')],
    ]);
    expect(await tested.keys()).toHaveLength(100);
  });

  it('waits while writes continue', async () => {
    tested.dead.count(prefix, 20_000);
    for (let second = 0; second < 10; second++) {
      await vi.advanceTimersByTimeAsync(1000);
      tested.dead.count(prefix, 0);
    }
    expect(tested.compacted).toEqual([]);
    await vi.advanceTimersByTimeAsync(6000);
    await tested.dead.settled();
    expect(tested.compacted).toHaveLength(2);
  });

  it('is interrupted by a write, and compacted later', async () => {
    await tested.fill('a', 45_000);
    tested.onCompact = async () => {
      if (tested.compacted.length === 1) tested.dead.count(prefix, 1);
    };
    tested.dead.count(prefix, 20_000);
    await vi.advanceTimersByTimeAsync(3000);
    await tested.dead.settled();
    expect(tested.compacted).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(3000);
    await tested.dead.settled();
    const cuts = [19_999, 39_999].map((row) => `${keyOf('a', row)}\u0000`);
    expect(tested.compacted.map(([from]) => from)).toEqual([prefix, prefix, ...cuts, prefix]);
  });

  it('is not compacted after the store is closed', async () => {
    tested.dead.count(prefix, 20_000);
    await tested.dead.pause();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(tested.compacted).toEqual([]);
  });

  it('is compacted when it is dropped, even if no row is left to sweep', async () => {
    tested.dead.count(prefix, 19_999);
    await tested.drop('a');
    expect(tested.compacted).toHaveLength(2);
    expect(await tested.keys()).toEqual([]);
  });

  it('is forgotten when it is dropped', async () => {
    tested.dead.count(prefix, 999);
    await tested.drop('a');
    tested.dead.count(prefix, 19_999);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(tested.compacted).toEqual([]);
  });
});
