import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import type { Writer } from '../../../../../src/store/commit-listeners.js';
import { CommitLane } from '../../../../../src/store/postgres/write/commit-lane.js';
import type { GroupWriter } from '../../../../../src/store/postgres/write/group-writer.js';
import type { CommitRequest } from '../../../../../src/store/postgres/write/judge-group.js';
import { runs } from '../../../../support/arbitrary/property-runs.js';
import { insert, keyAt } from '../../../../support/store/store-changes.js';

/** Returns a request as the listeners of commits get it. */
const writerOf = (requestId: string): Writer => ({
  ...{ requestId, clientRequestId: undefined, operation: 'Insert Entity' },
  ...{ caller: '127.0.0.1', userAgent: undefined },
});

/** Returns a lane, and the number of changes in each commit of each group that it has begun. */
function openLane() {
  const groups: number[][] = [];
  const writer = {
    commit: async (commits: readonly CommitRequest[]) => {
      groups.push(commits.map(({ changes }) => changes.length));
      return commits.map(() => ({ outcome: [], id: '1' }));
    },
  } as unknown as GroupWriter;
  return { groups, lane: new CommitLane(writer, { groups: 0, commits: 0, waitedMs: 0 }) };
}

const commitOf = (count: number): CommitRequest => ({
  account: 'account',
  name: 'table',
  id: undefined,
  changes: Array.from({ length: count }, (_, at) => insert(keyAt(`r${at}`))),
});

it('Commits of one turn are one group', async () => {
  const { groups, lane } = openLane();
  await Promise.all([lane.commit(commitOf(1)), Promise.resolve().then(() => lane.commit(commitOf(1)))]);
  expect(groups).toEqual([[1, 1]]);
});

it('A large commit is written before the turn ends, and does not wait for others', async () => {
  const { groups, lane } = openLane();
  let hasTurnEnded = false;
  setImmediate(() => {
    hasTurnEnded = true;
  });
  await lane.commit(commitOf(100));
  expect(groups).toEqual([[100]]);
  expect(hasTurnEnded).toBe(false);
  await lane.drain();
});

it('Small commits wait no longer than until there are enough', async () => {
  const { groups, lane } = openLane();
  const made = [lane.commit(commitOf(1))];
  let hasTurnEnded = false;
  setImmediate(() => {
    hasTurnEnded = true;
  });
  await Promise.resolve();
  made.push(lane.commit(commitOf(100)));
  await Promise.all(made);
  expect(groups).toEqual([[1, 100]]);
  expect(hasTurnEnded).toBe(false);
  await lane.drain();
});

it('The next group is in progress before the answers of the last one are sent, if as many commits wait', async () => {
  const events: string[] = [];
  const begun: (() => void)[] = [];
  const writer = {
    commit: (commits: readonly CommitRequest[]) =>
      new Promise((resolve) => {
        events.push(`group of ${commits.length}`);
        begun.push(() => resolve(commits.map(() => ({ outcome: [], id: '1' }))));
      }),
  } as unknown as GroupWriter;
  const lane = new CommitLane(writer, { groups: 0, commits: 0, waitedMs: 0 });
  const ask = async (name: string) => {
    await lane.commit(commitOf(1));
    events.push(name);
  };
  const asked = [ask('first')];
  await new Promise((resolve) => setImmediate(resolve));
  asked.push(ask('second'), ask('third'));
  begun.shift()?.();
  await asked[0];
  begun.shift()?.();
  await Promise.all(asked);
  expect(events).toEqual(['group of 1', 'group of 2', 'first', 'second', 'third']);
});

it('A commit whose row is locked is set aside with later ones of the row, and they are made in order when it is free', async () => {
  const made: string[] = [];
  let isLocked = true;
  const touches = (commit: CommitRequest) => isLocked && commit.changes.some(({ key }) => key.rowKey === 'locked');
  const writer = {
    commit: async (commits: readonly CommitRequest[]) =>
      commits.map((commit) => {
        if (touches(commit)) return 'blocked';
        made.push(String(commit.writer?.requestId));
        return { outcome: [], id: '1' };
      }),
    findLocked: async (commits: readonly CommitRequest[]) => commits.filter(touches),
  } as unknown as GroupWriter;
  const lane = new CommitLane(writer, { groups: 0, commits: 0, waitedMs: 0 });
  const ask = (requestId: string, ...rows: readonly string[]) =>
    lane.commit({ ...commitOf(0), changes: rows.map((row) => insert(keyAt(row))), writer: writerOf(requestId) });
  const waits = [ask('first', 'locked')];
  await ask('other', 'a');
  waits.push(ask('second', 'locked', 'b'), ask('third', 'b'));
  await Promise.all([ask('another', 'a'), ask('last', 'c')]);
  expect(made).toEqual(['other', 'another', 'last']);
  expect(lane.waiting).toBe(4);

  isLocked = false;
  await Promise.all(waits);
  expect(made).toEqual(['other', 'another', 'last', 'first', 'second', 'third']);
  expect(lane.waiting).toBe(0);
});

it('Commits whose row is free again are made at the next looks, whatever the times at which they were set aside', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.subarray(['a', 'b', 'c', 'locked'], { minLength: 1 }), { maxLength: 8 }),
        async (all) => {
          const made: number[] = [];
          let isLocked = true;
          const touches = ({ changes }: CommitRequest) =>
            isLocked && changes.some(({ key }) => key.rowKey === 'locked');
          const writer = {
            commit: async (commits: readonly CommitRequest[]) =>
              commits.map((commit) => {
                if (touches(commit)) return 'blocked';
                made.push(Number(commit.writer?.requestId));
                return { outcome: [], id: '1' };
              }),
            findLocked: async (commits: readonly CommitRequest[]) => commits.filter(touches),
          } as unknown as GroupWriter;
          const lane = new CommitLane(writer, { groups: 0, commits: 0, waitedMs: 0 });
          const waits: Promise<unknown>[] = [];
          for (const [at, rows] of all.entries()) {
            const changes = rows.map((row) => insert(keyAt(row)));
            waits.push(lane.commit({ ...commitOf(0), changes, writer: writerOf(String(at)) }));
            await vi.advanceTimersByTimeAsync(37);
          }
          isLocked = false;
          for (let ms = 0; ms < 5000; ms += 50) {
            await vi.advanceTimersByTimeAsync(50);
            await nextTurn();
          }
          expect([...made].sort((a, b) => a - b)).toEqual(all.map((_, at) => at));
          for (const row of ['a', 'b', 'c', 'locked']) {
            const ofRow = made.filter((at) => all[at]?.includes(row));
            expect(ofRow).toEqual([...ofRow].sort((a, b) => a - b));
          }
          await Promise.all(waits);
        },
      ),
      { numRuns: runs(30) },
    );
  } finally {
    vi.useRealTimers();
  }
});
