import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Engine } from '../../../src/store/commit-queue.js';
import { Compactor } from '../../../src/store/compactor.js';

const prefix = 'entity\u0000account\u0000table\u0000';
const end = `${prefix.slice(0, -1)}\u0001`;

/** An engine with so many keys, which writes down what it is asked to compact. */
function engineOf(count: number) {
  const keys = Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(6, '0')}`);
  const compacted: [string, string][] = [];
  const engine = {
    keys: ({ gte, limit }: { gte: string; limit: number }) => ({
      all: async () => keys.filter((key) => key >= gte).slice(0, limit),
    }),
    compactRange: async (from: string, to: string) => void compacted.push([from, to]),
  };
  return { engine: engine as unknown as Engine, compacted };
}

describe('Dead records', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const fail = (error: unknown) => {
    throw error;
  };

  it('are cleared away when many have gathered and nothing was written for a while', async () => {
    const { engine, compacted } = engineOf(100);
    const compactor = new Compactor(engine, fail);
    compactor.note(prefix, 19_999);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(compacted).toEqual([]);

    compactor.note(prefix, 1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(compacted).toEqual([[prefix, end]]);
  });

  it('of a large table are cleared away slice by slice, each beginning where the last ended', async () => {
    const { engine, compacted } = engineOf(45_000);
    const compactor = new Compactor(engine, fail);
    compactor.note(prefix, 20_000);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(compacted).toEqual([
      [prefix, `${prefix}019999`],
      [`${prefix}019999\u0000`, `${prefix}039999`],
      [`${prefix}039999\u0000`, end],
    ]);
  });

  it('wait while writes go on', async () => {
    const { engine, compacted } = engineOf(100);
    const compactor = new Compactor(engine, fail);
    compactor.note(prefix, 20_000);
    for (let second = 0; second < 10; second++) {
      await vi.advanceTimersByTimeAsync(1000);
      compactor.note(prefix, 0);
    }
    expect(compacted).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(compacted).toHaveLength(1);
  });

  it('are left half-way when something is written, and cleared away later', async () => {
    const { engine, compacted } = engineOf(45_000);
    const compactor = new Compactor(engine, fail);
    const compactRange = Reflect.get(engine, 'compactRange');
    Reflect.set(engine, 'compactRange', async (from: string, to: string) => {
      if (compacted.length === 0) compactor.note(prefix, 1);
      await compactRange(from, to);
    });
    compactor.note(prefix, 20_000);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(compacted.map(([from]) => from)).toEqual([prefix, prefix, `${prefix}019999\u0000`, `${prefix}039999\u0000`]);
  });

  it('stay where they are when the store is closed before', async () => {
    const { engine, compacted } = engineOf(100);
    const compactor = new Compactor(engine, fail);
    compactor.note(prefix, 20_000);
    await compactor.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(compacted).toEqual([]);
  });
});
