import type { BranchOptions, CreatedBranch } from '../index.js';
import { askServer, findServer } from './ask-server.js';

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
    context: { readonly task: { readonly name: string } },
    use: (branch: TestBranch) => Promise<void>,
  ) => Promise<void>;
}

/**
 * Returns a fixture that gives each test its own branch, so that tests can run in parallel:
 * `const test = base.extend(branchPerTest({ from: 'base' }))`. Creates it only for tests that use `branch`, and removes it after
 * the test. The server is that of the global setup or of `tabularium exec`.
 *
 * Errors: the test fails if the server, the snapshot or the account does not exist.
 */
export function branchPerTest(options: BranchOptions = {}): BranchFixture {
  return {
    async branch({ task }, use) {
      const server = await findServer();
      const request = { method: 'POST', path: '/branches', body: options } as const;
      const branch = (await askServer(server, request).catch((error: Error) => {
        throw new Error(`There is no branch for the test '${task.name}'. ${error.message}`);
      })) as CreatedBranch & { readonly connectionString: string };
      const { account, key, connectionString } = branch;
      const endpoint = `${new URL(server.endpoint).origin}/${account}`;
      try {
        await use({ account, key, connectionString, endpoint });
      } finally {
        // A test that outlives its branch must fail by its own requests, not by this one.
        await askServer(server, { method: 'DELETE', path: `/branches/${account}`, body: {}, mayBeMissing: true });
      }
    },
  };
}
