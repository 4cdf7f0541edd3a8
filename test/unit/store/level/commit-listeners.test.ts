import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommitQueue } from '../../../../src/store/level/commit-queue.js';
import { failNextBatch, interceptBatches } from '../../../support/intercept-batches.js';
import { type LevelUnderTest, levelGrounds, openLevelOn } from '../../../support/open-level-on.js';
import { account, commit, insert, keyAt } from '../../../support/store-changes.js';

describe.each(levelGrounds)('listeners of commits and the write batch, in %s:', (ground) => {
  let tested: LevelUnderTest;
  beforeEach(async () => {
    tested = await openLevelOn(ground);
    await tested.store().createTable(account, 'Table');
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await tested.dispose();
  });

  it('are called when the batch is written, not before', async () => {
    const events: string[] = [];
    tested.store().onCommit(({ changes }) => events.push(`heard ${changes[0]?.key.rowKey}`));
    interceptBatches(tested.engine, async (write) => {
      events.push('batch begins');
      await write();
      events.push('batch ends');
    });
    await Promise.all(['a', 'b', 'c'].map((row) => commit(tested.store(), 'Table', insert(keyAt(row)))));
    expect(events).toEqual(['batch begins', 'batch ends', 'heard a', 'heard b', 'heard c']);
  });

  it('are not called for a batch that fails, nor for the transactions that depend on it', async () => {
    const heard: unknown[] = [];
    tested.store().onCommit((transaction) => heard.push(transaction));
    const { fail } = failNextBatch(tested.engine);
    const writes = ['a', 'b'].map((row) => commit(tested.store(), 'Table', insert(keyAt(row))));
    fail();
    for (const outcome of await Promise.allSettled(writes)) expect(outcome.status).toBe('rejected');
    expect(heard).toEqual([]);
    await commit(tested.store(), 'Table', insert(keyAt('c')));
    expect(heard).toHaveLength(1);
  });

  it('cost nothing if there are none: the commit queue gets no effect to run', async () => {
    const add = vi.spyOn(CommitQueue.prototype, 'add');
    await commit(tested.store(), 'Table', insert(keyAt('a')));
    const stop = tested.store().onCommit(() => {});
    await commit(tested.store(), 'Table', insert(keyAt('b')));
    stop();
    await commit(tested.store(), 'Table', insert(keyAt('c')));
    expect(add.mock.calls.map(([, effect]) => typeof effect)).toEqual(['undefined', 'function', 'undefined']);
  });
});
