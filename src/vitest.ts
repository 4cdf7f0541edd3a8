import type { TestProject } from 'vitest/node';
import { startTabularium, type TabulariumOptions } from './index.js';

// Without it, the augmentation below would not know its module.
export type { ProvidedContext } from 'vitest';

/** What tests get by `inject('tabularium')`. */
export interface ProvidedTabularium {
  /** What every SDK takes to reach the first account. */
  readonly connectionString: string;
  /** The address of the first account's tables. */
  readonly endpoint: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly tabularium: ProvidedTabularium;
  }
}

/** Where SDKs and samples look for a connection string. */
const connectionVariable = 'AZURE_STORAGE_CONNECTION_STRING';

/** A global set-up that Vitest calls once before the tests of a project; what it returns is called after them. */
export type GlobalSetup = (project: Pick<TestProject, 'provide'>) => Promise<() => Promise<void>>;

/**
 * A global set-up with options: the default export of a file of your own that `globalSetup` names.
 *
 * One instance serves all test files of the project. Each test finds it by `inject('tabularium')`, and in the variable
 * AZURE_STORAGE_CONNECTION_STRING, which projects that run together would share.
 */
export function setupWith(options: TabulariumOptions): GlobalSetup {
  return async (project) => {
    const server = await startTabularium(options);
    const before = process.env[connectionVariable];
    process.env[connectionVariable] = server.connectionString;
    project.provide('tabularium', { connectionString: server.connectionString, endpoint: server.endpoint() });
    return async () => {
      if (before === undefined) delete process.env[connectionVariable];
      else process.env[connectionVariable] = before;
      await server.close();
    };
  };
}

/** The global set-up for `globalSetup: 'tabularium/vitest'`: an instance with every default, in memory. */
export const globalSetup: GlobalSetup = setupWith({});

export default globalSetup;
