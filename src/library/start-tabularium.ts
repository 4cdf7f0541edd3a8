import { nodeFault } from '../node-version.js';
import type { TabulariumOptions } from './options.js';
import type { Tabularium } from './tabularium.js';

/**
 * Starts a server in this process. By default it keeps its data in memory and listens on a free port of 127.0.0.1.
 *
 * Errors: ConfigError for invalid options; StoreError if the data cannot be opened; a system error if the port is in use; Error for
 * an unsupported version of Node.js.
 */
export async function startTabularium(options: TabulariumOptions = {}): Promise<Tabularium> {
  const fault = nodeFault(process.versions.node);
  if (fault !== undefined) throw new Error(fault);
  // Older versions cannot even parse the modules of the server.
  const { startInstance } = await import('./start-instance.js');
  return startInstance(options);
}
