import { type Config, ConfigError } from '../config.js';
import type { Account } from '../protocol/accounts.js';

/** Where clients find a server. */
export interface Endpoint {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

/** Where clients find a server with these settings. Errors: ConfigError where only the running server knows. */
export function endpointOf({ host, port, tls }: Config): Endpoint {
  if (port === 0) {
    throw new ConfigError('Port 0 is any free port. Say the one that the server printed, as in --tablePort 49152.');
  }
  return { scheme: tls ? 'https' : 'http', host, port };
}

/** The address of an account's tables on a server with these settings. Errors: ConfigError. */
export function tableEndpointOf(config: Config, account: string): string {
  return tableEndpoint(endpointOf(config), account);
}

/** The address of an account's tables, in path style. */
export function tableEndpoint(endpoint: Endpoint, account: string): string {
  return `${rootOf(endpoint)}/${account}`;
}

/** Scheme, host and port as a client of this machine uses them. */
export function rootOf({ scheme, host, port }: Endpoint): string {
  const reached = reachedHost(host);
  return `${scheme}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

/** The host by which this machine reaches a server: all interfaces as the loopback one. */
export function reachedHost(host: string): string {
  return host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
}

/** The connection string that every SDK takes. Source: emulator, section 2. */
export function connectionString(endpoint: Endpoint, { name, keys }: Account): string {
  const table = tableEndpoint(endpoint, name);
  return (
    `DefaultEndpointsProtocol=${endpoint.scheme};AccountName=${name};AccountKey=${keys[0]};` +
    `TableEndpoint=${table};TableSecondaryEndpoint=${table}-secondary;`
  );
}
