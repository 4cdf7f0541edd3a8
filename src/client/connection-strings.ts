import { ConfigError } from '../config.js';
import type { Account } from '../protocol/access/accounts.js';
import { tableAddress, writeConnectionString } from '../protocol/access/connection-string.js';
import type { Config } from '../settings/config.js';

/** The scheme, host and port of a server. */
export interface Endpoint {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

/** Returns the endpoint of a server with these settings. Errors: ConfigError for port 0 (any free port). */
export function endpointOf({ host, port, tls }: Config): Endpoint {
  if (port === 0) {
    throw new ConfigError('Port 0 is any free port. Use the port that the server printed, as in --tablePort 49152.');
  }
  return { scheme: tls ? 'https' : 'http', host, port };
}

/** Returns the table endpoint of an account, with the account in the path. */
export function tableEndpoint(endpoint: Endpoint, account: string): string {
  return `${rootOf(endpoint)}/${account}`;
}

/** Returns the endpoint that serves an account. */
export type EndpointOf = (account: Pick<Account, 'dialect'>) => Endpoint;

/** Returns the table endpoint of an account, in the form of its service. */
export function accountEndpoint(endpoint: Endpoint, account: Omit<Account, 'keys'>): string {
  return tableAddress(rootOf(endpoint), account);
}

/** Returns the URL of a server for clients on this machine, without a trailing slash. */
export function rootOf({ scheme, host, port }: Endpoint): string {
  const reached = reachedHost(host);
  return `${scheme}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

/** Returns the host for clients on this machine: a loopback address if the server listens on all interfaces. */
export function reachedHost(host: string): string {
  return host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
}

/** Returns the connection string of an account for its SDKs. */
export function connectionString(endpoint: Endpoint, account: Account): string {
  return writeConnectionString(rootOf(endpoint), account);
}
