import { rootOf } from '../client/connection-strings.js';
import { askedEndpoint } from '../client/server-url.js';
import { askHealth } from './ask-health.js';
import type { CommandConfig } from './server-options.js';

/** The result of a health check: whether the server serves requests, and a line to print. */
export interface HealthReport {
  readonly healthy: boolean;
  readonly line: string;
}

/** Checks whether the server with these settings serves requests. Errors: ConfigError for port 0. */
export async function checkHealth(config: CommandConfig): Promise<HealthReport> {
  const endpoint = askedEndpoint(config);
  const answerer = await askHealth(endpoint);
  if (answerer.kind === 'tabularium') {
    return { healthy: answerer.ready, line: `${answerer.status}: ${rootOf({ ...endpoint, scheme: answerer.scheme })}` };
  }
  const fault =
    answerer.kind === 'other' ? `the server there is not Tabularium but ${answerer.server}` : answerer.message;
  return { healthy: false, line: `not reached: ${rootOf(endpoint)}: ${fault}` };
}
