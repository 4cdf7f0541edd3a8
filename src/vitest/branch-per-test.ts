import type { BranchOptions, CreatedBranch } from '../index.js';
import { askServer, findServer, type TestServer } from './ask-server.js';
import { type NamedTask, testName } from './test-name.js';

/** The branch of a test: a throwaway account that began as a copy. */
export interface TestBranch {
  /** The account name, for example for fault rules. */
  readonly account: string;
  /** Its only key, in base64. */
  readonly key: string;
  readonly connectionString: string;
  /** Its table endpoint. */
  readonly endpoint: string;
}

/** The fixture of `branchPerTest`, for `test.extend` of Vitest. */
export interface BranchFixture {
  readonly branch: (
    context: { readonly task: NamedTask & { readonly result?: { readonly state: string } } },
    use: (branch: TestBranch) => Promise<void>,
  ) => Promise<void>;
}

/**
 * Returns a fixture that gives each test its own branch, so that tests can run in parallel:
 * `const test = base.extend(branchPerTest({ from: 'base' }))`. Creates it only for tests that use `branch`, and removes it after
 * the test. Its requests have the name of the test as their mark. If the test fails, prints why requests were rejected. The server is
 * that of the global setup or of `tabularium exec`.
 *
 * Errors: the test fails if the server, the snapshot or the account does not exist.
 */
export function branchPerTest(options: BranchOptions = {}): BranchFixture {
  return {
    async branch({ task }, use) {
      const server = await findServer();
      const request = { method: 'POST', path: '/branches', body: { mark: testName(task), ...options } } as const;
      const branch = (await askServer(server, request).catch((error: Error) => {
        throw new Error(`There is no branch for the test '${task.name}'. ${error.message}`);
      })) as CreatedBranch & { readonly connectionString: string };
      const { account, key, connectionString } = branch;
      const endpoint = `${new URL(server.endpoint).origin}/${account}`;
      let hasFailed = true;
      try {
        await use({ account, key, connectionString, endpoint });
        // Vitest does not tell its fixtures of a failure in any other way.
        hasFailed = task.result?.state === 'fail';
      } finally {
        const reasons = hasFailed ? await reasonsOf(account, server) : '';
        if (reasons !== '') console.error(reasons);
        // A test that outlives its branch must fail by its own requests, not by this one.
        await askServer(server, { method: 'DELETE', path: `/branches/${account}`, body: {}, mayBeMissing: true });
      }
    },
  };
}

/** Returns the lines about the requests of an account, or about why there are none. */
async function reasonsOf(account: string, server: TestServer): Promise<string> {
  try {
    const report = await askServer(server, { method: 'GET', path: `/branches/${account}/report` });
    return (report as { readonly text: string }).text;
  } catch (error) {
    return `There is no report of the branch ${account}. ${error}`;
  }
}
