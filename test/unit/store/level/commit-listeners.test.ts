import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommitQueue } from '../../../../src/store/level/log/commit-queue.js';
import { type LevelUnderTest, levelGrounds, openLevelOn } from '../../../support/store/open-level-on.js';
import { account, commit, insert, keyAt } from '../../../support/store/store-changes.js';

it('Listeners of commits are not called for a commit that fails, nor for those that depend on it', async () => {
  const tested = await openLevelOn('LevelDB, synced');
  await tested.store().createTable(account, 'Table');
  const heard: unknown[] = [];
  tested.store().onCommit((transaction) => heard.push(transaction));
  const { fail } = tested.failNextSync();
  const writes = ['a', 'b'].map((row) => commit(tested.store(), 'Table', insert(keyAt(row))));
  expect(heard).toEqual([]);
  fail();
  for (const outcome of await Promise.allSettled(writes)) expect(outcome.status).toBe('rejected');
  expect(heard).toEqual([]);
  await commit(tested.store(), 'Table', insert(keyAt('c')));
  expect(heard).toHaveLength(1);
  await tested.dispose();
});

describe.each(levelGrounds)('listeners of commits, in %s:', (ground) => {
  let tested: LevelUnderTest;
  beforeEach(async () => {
    tested = await openLevelOn(ground);
    await tested.store().createTable(account, 'Table');
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await tested.dispose();
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
