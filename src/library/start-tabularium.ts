import { nodeFault } from '../node-version.js';
import type { TabulariumOptions } from './options.js';
import type { Tabularium } from './tabularium.js';

/**
 * Starts a server within this process. By default it keeps its data in memory and listens on a free port of 127.0.0.1.
 *
 * Errors: ConfigError for invalid options; StoreError if the data cannot be opened; a system error if the port is in
 * use; Error for a version of Node.js that is not supported.
 */
export async function startTabularium(options: TabulariumOptions = {}): Promise<Tabularium> {
  const fault = nodeFault(process.versions.node);
  if (fault !== undefined) throw new Error(fault);
  // An older version could not even read the modules of the server.
  const { startInstance } = await import('./start-instance.js');
  return startInstance(options);
}
