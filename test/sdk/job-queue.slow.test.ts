import { TableClient } from '@azure/data-tables';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultRule, startTabularium, type Tabularium } from '../../src/index.js';
import { JobExists, JobQueue, type LeasedJob, LeaseLost } from '../support/clients/job-queue.js';
import { sdkRejection } from '../support/clients/sdk-clients.js';

/** The policy of the SDK, with short pauses between its tries. */
const quickly = { retryDelayInMs: 1, maxRetryDelayInMs: 4 };

/** The rules of the queue in these tests. */
const [leaseMs, backOffMs, attemptsMax] = [30_000, 1000, 3];

// The tests run side by side. Each has a branch, and so jobs and faults of its own.
describe.concurrent('A job queue on the unmodified SDK', () => {
  let tabularium: Tabularium;
  beforeAll(async () => {
    tabularium = await startTabularium();
    const { connectionString } = tabularium;
    await TableClient.fromConnectionString(connectionString, 'Jobs', { allowInsecureConnection: true }).createTable();
    const queue = queueOf(connectionString);
    for (const id of ['a', 'b', 'c']) await queue.enqueue(id, `payload of ${id}`);
    await tabularium.snapshots.create('base');
  });
  afterAll(() => tabularium.close());

  /** The time of each queue is its own, and stands still until a test moves it. */
  const queueOf = (connectionString: string, clock = { now: 1_800_000_000_000 }, maxRetries = 3) =>
    new JobQueue(connectionString, 'mail', {
      ...{ leaseMs, backOffMs, attemptsMax, now: () => clock.now },
      client: { retryOptions: { ...quickly, maxRetries } },
    });

  /** Calls a test with a queue on a branch of its own, which has the jobs a, b and c. */
  const onBranch = (
    test: (world: {
      readonly queue: JobQueue;
      readonly clock: { now: number };
      readonly connectionString: string;
      /** Adds rules of faults for this branch. */
      readonly break: (...rules: readonly FaultRule[]) => Promise<void>;
      /** Returns how often each rule of this branch has acted. */
      readonly hits: () => Promise<readonly number[]>;
    }) => Promise<void>,
  ) => {
    return async () => {
      await using branch = await tabularium.branches.create({ from: 'base' });
      const { account, connectionString } = branch;
      const clock = { now: 1_800_000_000_000 };
      const ids: string[] = [];
      await test({
        ...{ queue: queueOf(connectionString, clock), clock, connectionString },
        async break(...rules) {
          for (const { when, ...rule } of rules) {
            const made = await tabularium.faults.create({ ...rule, when: { ...when, account } });
            ids.push(...made.map(({ id }) => id));
          }
        },
        async hits() {
          const all = new Map((await tabularium.faults.list()).map((one) => [one.id, one.hits]));
          return ids.map((id) => all.get(id) ?? -1);
        },
      });
    };
  };

  const leased = async (queue: JobQueue): Promise<LeasedJob> => {
    const job = await queue.lease();
    if (!job) throw new Error('there is no job');
    return job;
  };

  it(
    'gives each job to one of the workers that want it at the same time',
    onBranch(async ({ queue }) => {
      const jobs = await Promise.all(Array.from({ length: 12 }, () => queue.lease()));
      expect(jobs.flatMap((job) => job?.id ?? []).sort()).toEqual(['a', 'b', 'c']);
      expect(await queue.lease()).toBeUndefined();
    }),
  );

  it(
    'gives a job to another worker when its lease has ended, and the first one cannot complete it',
    onBranch(async ({ queue, clock }) => {
      const first = await leased(queue);
      clock.now += leaseMs;
      const second = await leased(queue);
      expect([second.id, second.attempts]).toEqual([first.id, 2]);
      await expect(queue.complete(first)).rejects.toThrow(LeaseLost);
      await expect(queue.renew(first)).rejects.toThrow(LeaseLost);
      await expect(queue.fail(first)).rejects.toThrow(LeaseLost);
      await queue.complete(second);
    }),
  );

  it(
    'keeps a job as long as its worker renews the lease',
    onBranch(async ({ queue, clock }) => {
      const job = await leased(queue);
      clock.now += leaseMs - 1;
      const renewed = await queue.renew(job);
      clock.now += leaseMs - 1;
      const others = [await leased(queue), await leased(queue)].map(({ id }) => id);
      expect(others).not.toContain(job.id);
      await queue.complete(renewed);
    }),
  );

  it(
    'tries a job that fails again after growing pauses, and then makes it a dead letter',
    onBranch(async ({ queue, clock }) => {
      let [job, ...others] = [await leased(queue), await leased(queue), await leased(queue)];
      for (const other of others) await queue.complete(other);
      for (const pause of [backOffMs, 2 * backOffMs]) {
        await queue.fail(job);
        clock.now += pause - 1;
        expect(await queue.lease()).toBeUndefined();
        clock.now += 1;
        job = await leased(queue);
      }
      expect(await queue.deadLetters()).toEqual([]);
      await queue.fail(job);
      clock.now += 100 * leaseMs;
      expect(await queue.lease()).toBeUndefined();
      expect(await queue.deadLetters()).toEqual(['a']);
    }),
  );

  it(
    'rejects a second job of the same id',
    onBranch(async ({ queue }) => {
      await expect(queue.enqueue('a', 'another payload')).rejects.toThrow(JobExists);
    }),
  );

  /** Takes jobs until it has the one with an id. */
  const take = async (queue: JobQueue, id: string): Promise<LeasedJob> => {
    for (let job = await leased(queue); ; job = await leased(queue)) if (job.id === id) return job;
  };

  /** Lets a job go through everything that can happen to it. */
  const live = async (queue: JobQueue, clock: { now: number }) => {
    await queue.enqueue('new', 'a payload');
    let job = await take(queue, 'new');
    await queue.fail(job);
    clock.now += backOffMs;
    job = await leased(queue);
    expect([job.id, job.attempts]).toEqual(['new', 2]);
    job = await queue.renew(job);
    clock.now += leaseMs - 1;
    await queue.complete(job);
  };

  it.each<FaultRule['fault']>([
    'ServerBusy',
    'InternalError',
    'OperationTimedOut',
    { kind: 'connection', cut: 'nc' },
    { kind: 'connection', cut: 'na' },
  ])('does not notice %j, because the policy of the SDK recovers from it', (fault) =>
    onBranch(async ({ queue, clock, break: breakIt, hits }) => {
      const operations = ['insert', 'query', 'merge', 'delete'];
      await breakIt(...operations.map((operation) => ({ when: { operation }, fault, times: 3 })));
      await live(queue, clock);
      expect(await hits()).toEqual([3, 3, 3, 3]);
    })(),
  );

  const applied: readonly FaultRule['fault'][] = [
    { kind: 'error', code: 'OperationTimedOut', applied: true },
    { kind: 'connection', cut: 'nc', when: 'after' },
    { kind: 'connection', cut: 'na', when: 'after' },
  ];

  it.each(applied)('%j: the repeated insert of the SDK alone is rejected with 409', (fault) =>
    onBranch(async ({ connectionString, break: breakIt }) => {
      await breakIt({ when: { operation: 'insert' }, fault, times: 1 });
      const options = { allowInsecureConnection: true, retryOptions: { ...quickly, maxRetries: 3 } };
      const table = TableClient.fromConnectionString(connectionString, 'Jobs', options);
      const insert = table.createEntity({ partitionKey: 'p', rowKey: 'r' });
      expect(await sdkRejection(insert)).toEqual({ statusCode: 409, code: 'EntityAlreadyExists' });
      await table.getEntity('p', 'r');
    })(),
  );

  it.each(applied)('%j: the queue recognizes what it has written itself', (fault) =>
    onBranch(async ({ queue, clock, break: breakIt, hits }) => {
      const operations = ['insert', 'merge', 'delete'];
      await breakIt(...operations.map((operation) => ({ when: { operation }, fault, times: 1 })));
      await live(queue, clock);
      expect(await hits()).toEqual([1, 1, 1]);
    })(),
  );

  it(
    'takes the next job if a rival has written the first one',
    onBranch(async ({ queue, break: breakIt, hits }) => {
      await breakIt({ when: { operation: 'merge' }, fault: 'rivalWrite', times: 1 });
      expect((await leased(queue)).id).toBe('b');
      expect(await hits()).toEqual([1]);
    }),
  );

  it(
    'loses a lease that a rival has written',
    onBranch(async ({ queue, break: breakIt }) => {
      const job = await leased(queue);
      await breakIt({ fault: 'rivalWrite', times: 1 });
      await expect(queue.renew(job)).rejects.toThrow(LeaseLost);
    }),
  );

  it(
    'does each job once, with several workers and many faults',
    onBranch(async ({ connectionString, break: breakIt, hits }) => {
      const clock = { now: 1_800_000_000_000 };
      const queues = Array.from({ length: 4 }, () => queueOf(connectionString, clock, 12));
      await breakIt(
        { fault: 'ServerBusy', probability: 0.15, seed: 7, times: 60 },
        {
          when: { operation: 'write' },
          fault: { kind: 'error', code: 'OperationTimedOut', applied: true },
          probability: 0.15,
          seed: 8,
          times: 60,
        },
      );
      const ids = ['a', 'b', 'c', ...Array.from({ length: 20 }, (_, at) => `own${at}`)];
      await Promise.all(ids.slice(3).map((id, at) => queues[at % queues.length]?.enqueue(id, 'a payload')));
      const done: string[] = [];
      await Promise.all(
        queues.map(async (queue) => {
          for (let job = await queue.lease(); job; job = await queue.lease()) {
            await queue.complete(job);
            done.push(job.id);
          }
        }),
      );
      expect(done.sort()).toEqual([...ids].sort());
      for (const count of await hits()) expect(count).toBeGreaterThan(0);
    }),
  );
});
