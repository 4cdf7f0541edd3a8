import { connectionString, rootOf } from '../../client/connection-strings.js';
import { portOf } from '../../protocol/access/connection-string.js';
import type { RunningServer } from '../../server.js';
import type { Config } from '../../settings/config.js';
import { ownVersion } from '../../version.js';

/** Returns the line of `--ready json`: how programs reach the server. */
export function readyJson(
  { accounts: [account], adminToken, host, tls }: Config,
  { url, cosmosUrl, generatedToken = adminToken }: Pick<RunningServer, 'url' | 'cosmosUrl' | 'generatedToken'>,
): string {
  const endpoint = { scheme: tls ? 'https' : 'http', host, port: portOf(url) } as const;
  return JSON.stringify({
    ready: true,
    version: ownVersion(),
    pid: process.pid,
    url: rootOf(endpoint),
    ...(cosmosUrl !== undefined && { cosmosUrl }),
    ...(account && { account: account.name, connectionString: connectionString(endpoint, account) }),
    ...(generatedToken !== undefined && { adminToken: generatedToken }),
  });
}
