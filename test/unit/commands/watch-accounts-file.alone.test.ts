import { setImmediate as otherWork } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { watchAccountsFile } from '../../../src/commands/options/accounts-file.js';

/** A read of the file that has begun. The test decides when it ends, and how. */
interface PendingRead {
  readonly resolve: (text: string) => void;
  readonly reject: (error: Error) => void;
}

const reads = vi.hoisted(() => ({ onBegun: (_read: PendingRead) => {} }));

vi.mock('../../../src/user-files/read-text-file.js', () => ({
  readTextFileAsync: () => new Promise<string>((resolve, reject) => reads.onBegun({ resolve, reject })),
}));

describe('watchAccountsFile, stopped during a poll,', () => {
  let reports: unknown[];
  let begun: Promise<PendingRead>;
  let stop: () => void;
  beforeEach(() => {
    reports = [];
    begun = new Promise((resolve) => {
      reads.onBegun = resolve;
    });
    const report = (one: unknown) => reports.push(one);
    stop = watchAccountsFile('accounts', [], { changed: report, failed: report }, 1);
  });

  it('reports accounts if it is not stopped', async () => {
    const first = await begun;
    const second = new Promise<PendingRead>((resolve) => {
      reads.onBegun = resolve;
    });
    first.resolve('first:a2V5MQ==');
    (await second).resolve('first:a2V5MQ==');
    await otherWork();
    stop();
    expect(reports).toEqual([[{ name: 'first', keys: ['a2V5MQ=='] }]]);
  });

  it('does not report the accounts that the poll reads', async () => {
    const read = await begun;
    stop();
    read.resolve('first:a2V5MQ==');
    await otherWork();
    expect(reports).toEqual([]);
  });

  it('does not report that the poll fails', async () => {
    const read = await begun;
    stop();
    read.reject(new Error('the file is gone'));
    await otherWork();
    expect(reports).toEqual([]);
  });
});
