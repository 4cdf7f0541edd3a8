import type { BranchOptions, CreatedBranch } from '../index.js';
import { askServer, findServer } from './ask-server.js';

/** The branch of a test: a throw-away account that began as a copy. */
export interface TestBranch {
  /** The account, as for the rule of a fault. */
  readonly account: string;
  /** Its only key, in base64. */
  readonly key: string;
  /** The connection string of the branch, for every SDK. */
  readonly connectionString: string;
  /** The address of its tables. */
  readonly endpoint: string;
}

/** The fixture of `branchPerTest`, as `test.extend` of Vitest takes it. */
export interface BranchFixture {
  readonly branch: (
    context: { readonly task: { readonly name: string } },
    use: (branch: TestBranch) => Promise<void>,
  ) => Promise<void>;
}

/**
 * Returns a fixture that gives each test a branch of its own, so that tests may run side by side:
 * `const test = base.extend(branchPerTest({ from: 'base' }))`. A test that does not ask for `branch` gets none. The branch is
 * removed after the test. The server is that of the global setup or of `tabularium exec`.
 *
 * Errors: the test fails if there is no server, or no such snapshot or account.
 */
export function branchPerTest(wish: BranchOptions = {}): BranchFixture {
  return {
    async branch({ task }, use) {
      const server = await findServer();
      const made = (await askServer(server, { method: 'POST', path: '/branches', body: wish }).catch((error: Error) => {
        throw new Error(`There is no branch for the test '${task.name}'. ${error.message}`);
      })) as CreatedBranch & { readonly connectionString: string };
      const { account, key, connectionString } = made;
      const endpoint = `${new URL(server.endpoint).origin}/${account}`;
      try {
        await use({ account, key, connectionString, endpoint });
      } finally {
        // A test that took longer than the branch lasts fails by its own requests, not by this one.
        await askServer(server, { method: 'DELETE', path: `/branches/${account}`, body: {}, mayBeMissing: true });
      }
    },
  };
}
