import type { Account } from '../protocol/accounts.js';

/** Where clients find a server. */
export interface Endpoint {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

/** The address of an account's tables, in path style. An address for all interfaces is reached as the loopback one. */
export function tableEndpoint({ scheme, host, port }: Endpoint, account: string): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${reached}:${port}/${account}`;
}

/** The connection string that every SDK takes. Source: emulator, section 2. */
export function connectionString(endpoint: Endpoint, { name, keys }: Account): string {
  const table = tableEndpoint(endpoint, name);
  return (
    `DefaultEndpointsProtocol=${endpoint.scheme};AccountName=${name};AccountKey=${keys[0]};` +
    `TableEndpoint=${table};TableSecondaryEndpoint=${table}-secondary;`
  );
}
