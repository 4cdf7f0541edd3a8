import type { Account } from './accounts.js';

/**
 * Returns the connection string of an account, in the form that every SDK accepts. `root` is the scheme, the host and the
 * port of the server, without a final slash. Source: emulator 2.
 */
export function writeConnectionString(root: string, { name, keys }: Account): string {
  const table = `${root}/${name}`;
  const scheme = root.slice(0, root.indexOf(':'));
  return (
    `DefaultEndpointsProtocol=${scheme};AccountName=${name};AccountKey=${keys[0]};` +
    `TableEndpoint=${table};TableSecondaryEndpoint=${table}-secondary;`
  );
}
