import { Command } from 'commander';
import { endpointOf } from '../../client/connection-strings.js';
import type { AskedServer } from '../../client/http-transport.js';
import { readServerUrl, urlFlag, urlVariable } from '../../client/server-url.js';
import { readConfig } from '../options/server-options.js';

/**
 * Returns the servers that a command asks: those of `--url`, else that of TABULARIUM_URL, else the one that the other variables
 * describe, as in a container. Errors: ConfigError.
 */
export function askedServers(urls: readonly string[], environment: NodeJS.ProcessEnv): readonly AskedServer[] {
  const named = environment[urlVariable];
  const endpoints =
    urls.length > 0
      ? urls.map((url) => readServerUrl(url, urlFlag))
      : named
        ? [readServerUrl(named, urlVariable)]
        : undefined;
  if (endpoints && !environment['TABULARIUM_CONFIG']) {
    const token = environment['TABULARIUM_ADMIN_TOKEN'] || environment['TABULARIUM_ADMIN_READ_TOKEN'] || undefined;
    return endpoints.map((endpoint) => ({ endpoint, token }));
  }
  const config = readConfig(new Command(), environment);
  const token = config.adminToken ?? config.adminReadToken;
  return (endpoints ?? [endpointOf(config)]).map((endpoint) => ({ endpoint, token }));
}
