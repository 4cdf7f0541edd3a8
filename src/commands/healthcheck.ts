import { askHealth } from './ask-health.js';
import { endpointOf, rootOf } from './connection-strings.js';
import type { CommandConfig } from './server-options.js';

/** What a health check found: a line to print, and whether all is well. */
export interface HealthReport {
  readonly healthy: boolean;
  readonly line: string;
}

/** Asks the server with these settings whether it serves requests. Errors: ConfigError for port 0. */
export async function checkHealth(config: CommandConfig): Promise<HealthReport> {
  const endpoint = endpointOf(config);
  const who = await askHealth(endpoint);
  if (who.kind === 'tabularium') {
    return { healthy: who.ready, line: `${who.says}: ${rootOf({ ...endpoint, scheme: who.scheme })}` };
  }
  const fault = who.kind === 'other' ? `what answers there is not Tabularium but ${who.server}` : who.says;
  return { healthy: false, line: `not reached: ${rootOf(endpoint)}: ${fault}` };
}
