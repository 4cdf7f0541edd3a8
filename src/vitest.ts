import type { TestProject } from 'vitest/node';
import type { TabulariumOptions } from './index.js';

// Needed so that the module declaration below extends the types of Vitest.
export type { ProvidedContext } from 'vitest';
export { type BranchFixture, branchPerTest, type TestBranch } from './vitest/branch-per-test.js';

/** The value that tests get from `inject('tabularium')`. */
export interface ProvidedTabularium {
  /** The connection string of the first account, for every SDK. */
  readonly connectionString: string;
  /** The address of the first account's tables. */
  readonly endpoint: string;
  /** The self-signed certificate of the server, as PEM; absent without one. */
  readonly certificate?: string | undefined;
  /** The token of the control endpoints; absent without one. */
  readonly adminToken?: string | undefined;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly tabularium: ProvidedTabularium;
  }
}

/** The environment variable in which SDKs and samples look for a connection string. */
const connectionVariable = 'AZURE_STORAGE_CONNECTION_STRING';

/** A global setup function. Vitest calls it before the tests of a project, and calls its result after them. */
export type GlobalSetup = (project: Pick<TestProject, 'provide'>) => Promise<() => Promise<void>>;

/**
 * Returns a global setup with options. Make it the default export of a file, and name that file in `globalSetup`.
 *
 * One instance serves all test files of the project. Tests find it by `inject('tabularium')` and in the environment
 * variable AZURE_STORAGE_CONNECTION_STRING. Projects that run together share the variable, so use `inject` there.
 *
 * Errors: the function throws ConfigError for invalid options.
 */
export function setupWith(options: TabulariumOptions): GlobalSetup {
  return async (project) => {
    // Tests that import this module for a fixture need no server of their own.
    const { startTabularium } = await import('./index.js');
    const server = await startTabularium(options);
    const before = process.env[connectionVariable];
    process.env[connectionVariable] = server.connectionString;
    const { connectionString, certificate, adminToken } = server;
    project.provide('tabularium', { connectionString, endpoint: server.endpoint(), certificate, adminToken });
    return async () => {
      if (before === undefined) delete process.env[connectionVariable];
      else process.env[connectionVariable] = before;
      await server.close();
    };
  };
}

/** The setup for `globalSetup: 'tabularium/vitest'`: an instance with all defaults, in memory. */
export const globalSetup: GlobalSetup = setupWith({});

export default globalSetup;
