import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { UndoRecords } from '../../../src/state/undo-records.js';
import type { KeptId, KeptState, SnapshotStore } from '../../../src/store/snapshots.js';

/** Snapshots of what calls have removed. Their notes can be made to fail. */
class RemovedThings {
  readonly notes = new Map<string, string>();
  reads = 0;
  failure: Error | undefined;
  readonly onEndedElsewhere: SnapshotStore['onEndedElsewhere'];

  constructor(isShared: boolean) {
    this.onEndedElsewhere = isShared ? () => {} : undefined;
  }

  get snapshots(): SnapshotStore {
    return this as unknown as SnapshotStore;
  }

  readonly kept = {
    note: async ({ id }: KeptId, note: string) => void this.notes.set(id, note),
    list: async (kind: 'undo' | 'import'): Promise<readonly KeptState[]> => {
      if (kind === 'import') return [];
      this.reads++;
      if (this.failure) throw this.failure;
      return [...this.notes].map(([id, note]) => ({ kind, id, at: '', note }));
    },
    drop: async ({ id }: KeptId) => this.notes.delete(id),
  };
}

const minute = 60_000;
const record = { what: 'reset', accounts: ['one'] };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([true, false])(
  'what is kept too long is forgotten after a failure, too; on a shared database: %s',
  async (isShared) => {
    const things = new RemovedThings(isShared);
    const errors: unknown[] = [];
    const records = new UndoRecords({ snapshots: things.snapshots, report: (error) => errors.push(error) });
    await records.add('undo-1', records.noteOf('undo-1', record));
    things.failure = new Error('The database cannot be used.');
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(errors).not.toEqual([]);
    things.failure = undefined;
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect([...things.notes.keys()]).toEqual([]);
    records.stop();
  },
);

it('a call is kept even if older ones cannot be forgotten now', async () => {
  const things = new RemovedThings(true);
  const errors: unknown[] = [];
  const records = new UndoRecords({ snapshots: things.snapshots, report: (error) => errors.push(error) });
  things.failure = new Error('The database cannot be used.');
  await records.add('undo-1', records.noteOf('undo-1', record));
  expect(errors).toEqual([things.failure]);
  records.stop();
});

it('a clock that was set back makes no work', async () => {
  const things = new RemovedThings(false);
  const records = new UndoRecords({ snapshots: things.snapshots, report: () => {} });
  await records.add('undo-1', records.noteOf('undo-1', record));
  vi.setSystemTime(Date.now() - 60 * 24 * 60 * minute);
  await records.resume();
  const before = things.reads;
  await vi.advanceTimersByTimeAsync(minute);
  expect(things.reads - before).toBeLessThan(3);
  records.stop();
});
