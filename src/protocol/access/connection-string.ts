import type { Account, DialectName } from './accounts.js';

/** The usual variable for a connection string in samples and programs. `exec` sets it. */
export const connectionStringVariable = 'AZURE_STORAGE_CONNECTION_STRING';

/**
 * How clients address an account of each service. SDKs know Cosmos DB by the host `localhost`. Source: emulator 2; cosmos 13;
 * cosmos 14.
 */
const addressOf: Readonly<Record<DialectName, (root: string, name: string) => string>> = {
  storage: (root, name) => `${root}/${name}`,
  cosmos(root, name) {
    const named = cosmosRoot(root);
    // The account of this name is in the host. Others are in the path.
    return name === 'localhost' ? `${named}/` : `${named}/${name}`;
  },
};

/** Returns the root of a listener for Cosmos DB as SDKs need it: with `localhost` for an address of this machine. */
export function cosmosRoot(root: string): string {
  return root.replace(/(?<=\/\/)(?:127\.0\.0\.1|\[::1?\]|0\.0\.0\.0)(?=:|$)/, 'localhost');
}

/** Returns the port of a URL, or the default port of its scheme. */
export function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/**
 * Returns the address of the tables of an account. `root` is the scheme, the host and the port of the listener of its
 * service, without a final slash.
 */
export function tableAddress(root: string, { name, dialect = 'storage' }: Omit<Account, 'keys'>): string {
  return addressOf[dialect](root, name);
}

/**
 * Returns the connection string of an account, in the form that every SDK accepts: without `TableSecondaryEndpoint`, which
 * azure-storage for Node.js rejects. `root` is as in `tableAddress`. Source: emulator 2.
 */
export function writeConnectionString(root: string, account: Account): string {
  const scheme = root.slice(0, root.indexOf(':'));
  return (
    `DefaultEndpointsProtocol=${scheme};AccountName=${account.name};AccountKey=${account.keys[0]};` +
    `TableEndpoint=${tableAddress(root, account)};`
  );
}
