import { basename } from 'node:path';
import type { Config } from '../config.js';

/** What the program was called as: its own name, or one of Azurite's. */
export type ProgramName = 'tabularium' | 'azurite' | 'azurite-table';

/** The name that a script was started by, which is that of a link to it. */
export function programName(script: string | undefined): ProgramName {
  const name = basename(script ?? '').replace(/\.(?:[cm]?js|cmd|exe)$/i, '');
  return name === 'azurite' || name === 'azurite-table' ? name : 'tabularium';
}

/** What is printed before the server starts. Source of Azurite's lines: emulator, section 5. */
export function startingLines(name: ProgramName, { host, port }: Config): readonly string[] {
  return name === 'tabularium' ? [] : [`Azurite Table service is starting on ${host}:${port}`];
}

/** What is printed when the server listens: programs wait for these lines. */
export function readyLines(name: ProgramName, url: string): readonly string[] {
  const own = `Tabularium Table service is successfully listening at ${url}`;
  if (name === 'tabularium') return [own];
  const address = url.slice(url.indexOf('//') + 2);
  return [
    own,
    `Azurite Table service is successfully listening at ${url}`,
    `Azurite Table service successfully started on ${address}`,
  ];
}

/** What is printed when the server is told to end, and when it has. */
export function stopLines(name: ProgramName): {
  readonly closing: readonly string[];
  readonly closed: readonly string[];
} {
  if (name === 'tabularium') return { closing: [], closed: [] };
  return { closing: ['Azurite Table service is closing...'], closed: ['Azurite Table service successfully closed'] };
}
