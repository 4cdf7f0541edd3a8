import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Engine } from '../../../../../src/store/level/engine/engine.js';
import { EngineGate } from '../../../../../src/store/level/engine/engine-gate.js';
import { interceptBatches } from '../../../../support/clients/intercept-batches.js';
import { openLevelOn } from '../../../../support/store/open-level-on.js';
import { account, commit, insert, keyAt, remove, replace, rowsOf } from '../../../../support/store/store-changes.js';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Counts the iterators and snapshots of an engine that are open. */
function countReaders(engine: Engine): { readonly open: () => number } {
  let open = 0;
  for (const name of ['iterator', 'keys', 'values', 'snapshot'] as const) {
    const create = engine[name] as (...operands: readonly unknown[]) => { close: () => Promise<void> };
    Object.assign(engine, {
      [name]: (...operands: readonly unknown[]) => {
        const reader = Reflect.apply(create, engine, operands);
        const close = reader.close.bind(reader);
        open++;
        let isOpen = true;
        return Object.assign(reader, {
          close: async () => {
            await close();
            if (isOpen) open--;
            isOpen = false;
          },
        });
      },
    });
  }
  return { open: () => open };
}

/** Reads and writes at the same time. Returns how many iterators and snapshots were open at each batch. */
async function readBesideBatches(): Promise<readonly number[]> {
  const tested = await openLevelOn('LevelDB', undefined, { cacheBytes: 100_000 });
  const store = tested.store();
  const rows = Array.from({ length: 1500 }, (_, at) => `r${String(at).padStart(4, '0')}`);
  for (const table of ['Plain', 'Layered', 'Dropped']) {
    await store.createTable(account, table);
    await commit(store, table, ...rows.map((row) => insert(keyAt(row), 1)));
  }
  await store.swept();
  const readers = countReaders(tested.engine);
  const found: number[] = [];
  interceptBatches(tested.engine, (write) => {
    found.push(readers.open());
    return write();
  });
  let isDone = false;
  const read = async (table: string, ranges: readonly object[]) => {
    while (!isDone) {
      const page = await store.openTable(account, table).readPage({ ranges, rowsMax: 1000 });
      expect(page).not.toHaveProperty('reason');
    }
  };
  const reading = ['Plain', 'Layered'].flatMap((table) => [
    read(table, [{}]),
    read(table, [{ to: { ...keyAt('r0400'), side: 'before' } }, { from: { ...keyAt('r0900'), side: 'after' } }]),
  ]);
  for (let round = 0; round < 12; round++) {
    if (round % 3 === 0) await store.snapshots.take(`taken ${round}`, [account], (_, name) => name === 'Layered');
    if (round === 5) await store.deleteTable(account, 'Dropped');
    const changed = rows.slice(100 * round, 100 * round + 300);
    for (const table of ['Plain', 'Layered'])
      await commit(store, table, ...changed.map((row) => replace(keyAt(row), 2)));
    await store.swept();
  }
  isDone = true;
  await Promise.all(reading);
  await commit(store, 'Plain', remove(keyAt('r0000')));
  await store.swept();
  expect(await rowsOf(store, 'Plain')).not.toContain('p/r0000');
  await tested.dispose();
  expect(readers.open()).toBe(0);
  expect(tested.reports).toEqual([]);
  return found;
}

describe('an engine', () => {
  it('gets no batch while one of its iterators or snapshots is open', async () => {
    // Less patient, so that the test is short.
    const { write } = EngineGate.prototype;
    vi.spyOn(EngineGate.prototype, 'write').mockImplementation(function (this: EngineGate, work) {
      return write.call(this, work, 20);
    });
    const found = await readBesideBatches();
    expect(found.length).toBeGreaterThan(10);
    expect(Math.max(...found)).toBe(0);
  });

  it('that gets batches at any time is found out', async () => {
    vi.spyOn(EngineGate.prototype, 'write').mockImplementation((work) => work());
    expect(Math.max(...(await readBesideBatches()))).toBeGreaterThan(0);
  });
});

describe('the gate of an engine', () => {
  it('lets a write turn begin when no reader is inside, and readers when it has ended', async () => {
    const gate = new EngineGate();
    const events: string[] = [];
    gate.enter();
    let end = () => {};
    const writing = gate.write(async () => {
      events.push('write');
      await new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    // A reader does not wait for a turn that waits for other readers.
    expect(gate.opening).toBeUndefined();
    gate.leave();
    await vi.waitFor(() => expect(events).toEqual(['write']));
    const read = gate.read(async () => events.push('read'));
    await Promise.resolve();
    expect(events).toEqual(['write']);
    end();
    await Promise.all([writing, read]);
    expect(events).toEqual(['write', 'read']);
  });

  it('makes new readers wait when a write turn has waited for a second', async () => {
    vi.useFakeTimers();
    const gate = new EngineGate();
    const events: string[] = [];
    gate.enter();
    const writing = gate.write(async () => {
      events.push('write');
    });
    await gate.read(async () => events.push('early'));
    await vi.advanceTimersByTimeAsync(1000);
    const late = gate.read(async () => events.push('late'));
    gate.leave();
    await Promise.all([writing, late]);
    expect(events).toEqual(['early', 'write', 'late']);
  });
});
