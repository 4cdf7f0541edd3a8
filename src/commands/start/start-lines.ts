import { basename } from 'node:path';
import type { Config } from '../../settings/config.js';
import { controlRoot } from '../../wire/reserved-endpoints.js';

/** The name of the executable: our own, or one of Azurite's. */
export type ProgramName = 'tabularium' | 'azurite' | 'azurite-table';

/** Returns the name of the script, or of the link to it. */
export function programName(script: string | undefined): ProgramName {
  const name = basename(script ?? '').replace(/\.(?:[cm]?js|cmd|exe)$/i, '');
  return name === 'azurite' || name === 'azurite-table' ? name : 'tabularium';
}

/** Returns the lines to print before the server starts. Source: emulator 5. */
export function startingLines(name: ProgramName, { host, port }: Config): readonly string[] {
  return name === 'tabularium' ? [] : [`Azurite Table service is starting on ${host}:${port}`];
}

/** Returns the lines to print when the server listens, which other programs wait for. Source: emulator 5. */
export function readyLines(name: ProgramName, url: string, cosmosUrl?: string | undefined): readonly string[] {
  const own = `Tabularium Table service is successfully listening at ${url}`;
  const second = cosmosUrl === undefined ? [] : [`Tabularium for Cosmos DB is successfully listening at ${cosmosUrl}`];
  if (name === 'tabularium') return [own, ...second];
  const address = url.slice(url.indexOf('//') + 2);
  return [
    own,
    `Azurite Table service is successfully listening at ${url}`,
    `Azurite Table service successfully started on ${address}`,
    ...second,
  ];
}

/** Returns the line with the URL of the page for browsers. Print it after the lines that other programs wait for. */
export function explorerLines(url: string): readonly string[] {
  return [`Explorer: ${explorerAddress(url)}`];
}

/** Returns the URL of the page for browsers on this machine, even if the server listens on all interfaces. */
export function explorerAddress(url: string): string {
  return `${url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')}${controlRoot}/`;
}

/**
 * Returns the lines that show the token of the control endpoints. The token is in the fragment, which browsers do not send, so that no
 * proxy logs it.
 */
export function tokenLines(url: string, token: string): readonly string[] {
  return [`The control endpoints need a token from other machines: ${url}${controlRoot}#token=${token}`];
}

/** Returns the lines to print before and after the server stops. Source: emulator 5. */
export function stopLines(name: ProgramName): {
  readonly closing: readonly string[];
  readonly closed: readonly string[];
} {
  if (name === 'tabularium') return { closing: [], closed: [] };
  return { closing: ['Azurite Table service is closing...'], closed: ['Azurite Table service successfully closed'] };
}
