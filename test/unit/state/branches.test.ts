import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Accounts } from '../../../src/auth/accounts.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { State } from '../../../src/state/state.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';
import { grounds } from '../../support/store/test-engines.js';

describe.each(grounds)('branches, in $engine with $cacheBytes bytes of cache', (ground) => {
  let tested: StoreUnderTest;
  let accounts: Accounts;
  let state: State;
  const reports: unknown[] = [];
  const start = async () => {
    accounts = new Accounts([developmentAccount]);
    state = new State(tested.store(), accounts, (error) => reports.push(error));
    await state.resume();
  };
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    tested = await openTestStore(ground);
    await tested.store().createTable(developmentAccount.name, 'Table');
    await start();
  });
  afterEach(async () => {
    state.stop();
    vi.useRealTimers();
    expect(reports).toEqual([]);
    await tested.dispose();
  });
  const tablesOf = async (account: string) => (await tested.store().listTables(account)).map(({ name }) => name);

  it('end by themselves, with their data', async () => {
    const [short, long] = [await state.branch({ seconds: 60 }), await state.branch({ seconds: 120 })];
    expect(await tablesOf(short.account)).toEqual(['Table']);
    await vi.advanceTimersByTimeAsync(60_000);
    await vi.waitUntil(async () => (await state.listBranches()).length === 1, { timeout: 30_000 });
    expect(accounts.names).not.toContain(short.account);
    await vi.waitUntil(async () => (await tablesOf(short.account)).length === 0, { timeout: 30_000 });
    expect(accounts.names).toContain(long.account);
    expect(await tablesOf(long.account)).toEqual(['Table']);
  });

  it('may begin empty, and a reset returns them to that', async () => {
    await state.takeSnapshot('seed');
    const { account, from, tables } = await state.branch({ from: 'empty' });
    expect([from, tables]).toEqual([{ account: developmentAccount.name, snapshot: 'empty' }, 0]);
    expect(await tablesOf(account)).toEqual([]);
    await tested.store().createTable(account, 'Own');
    expect(await state.reset({ account })).toMatchObject({ to: 'empty' });
    expect(await tablesOf(account)).toEqual([]);
    expect(await tablesOf(developmentAccount.name)).toEqual(['Table']);
  });

  it('have a mark, and leave a sentence about their end', async () => {
    vi.setSystemTime(Date.UTC(2026, 10, 28, 12));
    const { account } = await state.branch({ from: 'empty', mark: `ships ${'x'.repeat(300)}` });
    expect(accounts.find(account)?.mark).toBe(`ships ${'x'.repeat(250)}`);
    await state.endBranch(account);
    const [, mark, at] = /of '(.*)' was deleted at (.*)\.$/.exec(accounts.endingOf(account) ?? '') ?? [];
    expect([mark?.slice(0, 6), at]).toEqual(['ships ', '2026-11-28T12:00:00.000Z']);
  });

  // A database has a clock of its own.
  it.skipIf(clusterDatabase)('survive a restart, except those whose time is over', async () => {
    const [short, long] = [await state.branch({ seconds: 60 }), await state.branch({ seconds: 120 })];
    state.stop();
    await tested.reopen();
    vi.setSystemTime(Date.now() + 90_000);
    await start();
    expect([...accounts.names]).toEqual([developmentAccount.name, long.account]);
    expect(accounts.keysOf(long.account)).toHaveLength(1);
    expect(await tablesOf(short.account)).toEqual([]);
    expect(await tablesOf(long.account)).toEqual(['Table']);
    expect(await state.listBranches()).toHaveLength(1);
  });

  it('are waited for with one timer if the clock was far ahead when they began', async () => {
    const now = Date.now();
    vi.setSystemTime(now + 60 * 24 * 3600_000);
    const { account } = await state.branch({ seconds: 60 });
    state.stop();
    vi.setSystemTime(now);
    const waits: unknown[] = [];
    const { setTimeout } = globalThis;
    // Without `spyOn`, which would put the simulated timer back after the real one.
    globalThis.setTimeout = Object.assign((...call: Parameters<typeof setTimeout>) => {
      waits.push(call[1]);
      return setTimeout(...call);
    }, setTimeout);
    await start();
    globalThis.setTimeout = setTimeout;
    // Node.js fires a timer at once that is asked to wait longer than this.
    for (const ms of waits) expect(ms).toBeLessThanOrEqual(2 ** 31 - 1);
    expect(waits.length).toBeGreaterThan(0);
    expect(accounts.names).toContain(account);
  });

  it('leave nothing when they are ended', async () => {
    const { account } = await state.branch();
    await state.endBranch(account);
    await expect(state.endBranch(account)).rejects.toThrow(`There is no branch ${account}.`);
    await tested.reopen();
    expect(await tested.store().snapshots.branches()).toEqual([]);
    expect(await tablesOf(account)).toEqual([]);
  });

  it('are removed later if they cannot be removed in time', async () => {
    const snapshots = tested.store().snapshots;
    vi.spyOn(snapshots, 'endBranch').mockRejectedValueOnce(new Error('cannot remove'));
    const { account } = await state.branch({ seconds: 60 });
    await vi.advanceTimersByTimeAsync(60_000);
    await vi.waitUntil(() => reports.length === 1, { timeout: 30_000 });
    expect(reports.splice(0)).toEqual([new Error('cannot remove')]);
    expect(accounts.names).not.toContain(account);
    expect((await state.listBranches()).map((one) => one.account)).toEqual([account]);

    await vi.advanceTimersByTimeAsync(60_000);
    await vi.waitUntil(async () => (await snapshots.branches()).length === 0, { timeout: 30_000 });
    expect(await state.listBranches()).toEqual([]);
    expect(await tablesOf(account)).toEqual([]);
  });

  it('can be deleted again if that failed', async () => {
    const snapshots = tested.store().snapshots;
    vi.spyOn(snapshots, 'endBranch').mockRejectedValueOnce(new Error('cannot remove'));
    const { account } = await state.branch();
    await expect(state.endBranch(account)).rejects.toThrow('cannot remove');
    await state.endBranch(account);
    expect(await snapshots.branches()).toEqual([]);
  });

  it('are rejected if their name is both a snapshot and an account that was added later', async () => {
    await state.takeSnapshot('later');
    accounts.add({ name: 'later', keys: developmentAccount.keys });
    const message = 'Both an account and a snapshot have the name later.';
    await expect(state.branch({ from: 'later' })).rejects.toThrow(message);
    await expect(state.diff({ from: 'later' })).rejects.toThrow(message);
    await state.deleteSnapshot('later');
    expect(await state.branch({ from: 'later' })).toMatchObject({ from: { account: 'later' } });
  });

  it('have no timer after the state was stopped', async () => {
    const made = state.branch({ seconds: 60 });
    state.stop();
    await made;
    // The engine gets the commits later, which is a timer of its own.
    await tested.store().swept();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are not more than 256 if they are made at once', async () => {
    const made = await Promise.allSettled(Array.from({ length: 258 }, () => state.branch()));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(256);
  });

  it('are not more than 256', async () => {
    for (let at = 0; at < 256; at++) await state.branch();
    await expect(state.branch()).rejects.toThrow('There are 256 branches already.');
  });
});
