import { spawn } from 'node:child_process';
import { rootOf } from '../../client/connection-strings.js';
import { sendRequest } from '../../client/http-transport.js';
import { targetEndpoint } from '../../client/server-url.js';
import type { CommandConfig } from '../options/server-options.js';
import { explorerAddress } from './start-lines.js';

/** The command that opens a URL on each platform. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/**
 * Prints the URL of the page of a running server, and opens it in the browser. If the settings have a token, only prints the URL, with
 * the token in the fragment, because other users can read the command line of a browser. Errors: ConfigError if no server responds.
 */
export async function openExplorer(config: CommandConfig, print: (line: string) => void): Promise<void> {
  const endpoint = targetEndpoint(config);
  const token = config.adminToken ?? config.adminReadToken;
  await sendRequest({ endpoint, token }, { method: 'GET', path: '/info' });
  const address = explorerAddress(rootOf(endpoint));
  if (token !== undefined) return print(`${address}#token=${token}`);
  print(address);
  const [program, ...words] = openers[process.platform] ?? ['xdg-open'];
  const opener = spawn(program, [...words, address], { stdio: 'ignore', detached: true });
  // A machine without a browser is not a fault; the URL has been printed.
  opener.on('error', () => {});
  opener.unref();
}
