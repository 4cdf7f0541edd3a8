import type { TestProject } from 'vitest/node';
import type { Tabularium, TabulariumOptions } from './index.js';

// Lets the module declaration below extend the types of Vitest.
export type { ProvidedContext } from 'vitest';
export { type BranchFixture, branchPerTest, type TestBranch } from './vitest/branch-per-test.js';

/** The value of `inject('tabularium')` in tests. */
export interface ProvidedTabularium {
  /** The connection string of the first account, for every SDK. */
  readonly connectionString: string;
  /** The table endpoint of the first account. */
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

/** Returns the environment variables of a server, for SDKs, samples and the commands of Tabularium. */
function variablesFor({ connectionString, endpoint, adminToken }: Tabularium): object {
  return {
    AZURE_STORAGE_CONNECTION_STRING: connectionString,
    TABULARIUM_URL: new URL(endpoint()).origin,
    ...(adminToken !== undefined && { TABULARIUM_ADMIN_TOKEN: adminToken }),
  };
}

/** A global setup function. Vitest calls it before the tests of a project, and calls its result after them. */
export type GlobalSetup = (project: Pick<TestProject, 'provide'>) => Promise<() => Promise<void>>;

/**
 * Returns a global setup with options. Export it as the default of a file, and name that file in `globalSetup`.
 *
 * One instance serves all test files of the project. Tests find it with `inject('tabularium')` and in the environment variables
 * AZURE_STORAGE_CONNECTION_STRING and TABULARIUM_URL, with TABULARIUM_ADMIN_TOKEN if there is a token. Parallel projects share the
 * variables, so use `inject` there. Errors: the function throws ConfigError for invalid options.
 */
export function setupWith(options: TabulariumOptions): GlobalSetup {
  return async (project) => {
    // Imported here, because tests also import this module for its fixture, without starting a server.
    const { startTabularium } = await import('./index.js');
    const server = await startTabularium(options);
    const variables = variablesFor(server);
    const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, variables);
    const { connectionString, certificate, adminToken } = server;
    project.provide('tabularium', { connectionString, endpoint: server.endpoint(), certificate, adminToken });
    return async () => {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      await server.close();
    };
  };
}

/** The setup for `globalSetup: 'tabularium/vitest'`: an instance with all defaults, in memory. */
export const globalSetup: GlobalSetup = setupWith({});

export default globalSetup;
