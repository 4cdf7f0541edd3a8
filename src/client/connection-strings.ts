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

/** Returns the endpoint of a server with these settings. Errors: ConfigError for port 0, which means any free port. */
export function endpointOf({ host, port, tls }: Config): Endpoint {
  if (port === 0) {
    throw new ConfigError('Port 0 is any free port. Use the port that the server printed, as in --tablePort 49152.');
  }
  return { scheme: tls ? 'https' : 'http', host, port };
}

/** Returns the address of an account's tables, with the account in the path. */
export function tableEndpoint(endpoint: Endpoint, account: string): string {
  return `${rootOf(endpoint)}/${account}`;
}

/** Returns the listener at which an account is served. */
export type EndpointOf = (account: Pick<Account, 'dialect'>) => Endpoint;

/** Returns the address of an account's tables, as clients of its service need it. */
export function accountEndpoint(endpoint: Endpoint, account: Omit<Account, 'keys'>): string {
  return tableAddress(rootOf(endpoint), account);
}

/** Returns the URL of a server for a client on this machine, without a final slash. */
export function rootOf({ scheme, host, port }: Endpoint): string {
  const reached = reachedHost(host);
  return `${scheme}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

/** Returns the host by which this machine reaches a server: a loopback address if it listens on all interfaces. */
export function reachedHost(host: string): string {
  return host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
}

/** Returns the connection string of an account. */
export function connectionString(endpoint: Endpoint, account: Account): string {
  return writeConnectionString(rootOf(endpoint), account);
}
