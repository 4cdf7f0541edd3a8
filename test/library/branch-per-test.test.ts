import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTabularium, type Tabularium } from '../../src/index.js';
import { branchPerTest, type TestBranch } from '../../src/vitest/branch-per-test.js';

const context = { task: { name: 'a test' } };

describe('The branch of a test', () => {
  let instance: Tabularium;
  beforeEach(async () => {
    instance = await startTabularium();
    vi.stubEnv('TABULARIUM_URL', instance.url);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await instance.close();
  });
  const accounts = async () => (await instance.branches.list()).map(({ account }) => account);

  it('is there while the test runs', async () => {
    await branchPerTest().branch(context, async ({ account }) => expect(await accounts()).toEqual([account]));
    expect(await accounts()).toEqual([]);
  });

  it('is never asked of the server of a connection string, which may be the cloud', async () => {
    vi.stubEnv('TABULARIUM_URL', '');
    vi.stubEnv('AZURE_STORAGE_CONNECTION_STRING', instance.connectionString);
    const made = branchPerTest().branch(context, () => Promise.resolve());
    await expect(made).rejects.toThrow('There is no server for tests.');
  });

  it('is removed after a test that fails', async () => {
    const failed = branchPerTest().branch(context, () => Promise.reject(new Error('the test fails')));
    await expect(failed).rejects.toThrow('the test fails');
    expect(await accounts()).toEqual([]);
  });

  it('has the name of its test as the mark, and prints why requests of a failed test were rejected', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    const suite = { name: 'Orders' };
    const task = { name: 'ships', suite, file: { name: 'orders.spec.ts' } };
    const act = async ({ endpoint, account }: TestBranch) => {
      expect((await fetch(`${endpoint}/Missing()`)).status).toBe(401);
      expect(await instance.requests.list({ account })).toMatchObject([{ Mark: 'orders.spec.ts > Orders > ships' }]);
    };
    await branchPerTest().branch({ task: { ...task, result: { state: 'pass' } } }, act);
    expect(printed).not.toHaveBeenCalled();
    await branchPerTest().branch({ task: { ...task, result: { state: 'fail' } } }, act);
    expect(printed.mock.calls).toEqual([
      [expect.stringMatching(/^Tabularium rejected requests of 'orders\.spec\.ts > Orders > ships':\n {2}401 /)],
    ]);
    printed.mockRestore();
  });

  it('may have ended before the test', async () => {
    await branchPerTest().branch(context, async ({ account }) => {
      const answer = await fetch(`${instance.url}/_tabularium/branches/${account}`, {
        method: 'DELETE',
        headers: { 'Content-Type': 'application/json' },
        body: '{}',
      });
      expect(answer.status).toBe(200);
    });
    expect(await accounts()).toEqual([]);
  });

  it('cannot be made of a state that does not exist, which the error tells with the name of the test', async () => {
    const made = branchPerTest({ from: 'missing' }).branch(context, () => Promise.resolve());
    await expect(made).rejects.toThrow(/There is no branch for the test 'a test'\. .*There is no snapshot missing\./);
  });
});
