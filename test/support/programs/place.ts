import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  cleanEnvironment,
  killLeftovers,
  type ProgramOptions,
  type RunningProgram,
  runProgram,
  serverFile,
} from './run-program.js';

/** A folder to run the server in, with links for its program names. */
export interface Place {
  readonly folder: string;
  /** Starts the server under one of its names, with only these environment variables of Tabularium and Azurite. */
  start(
    name: string,
    args: readonly string[],
    variables?: Readonly<Record<string, string>>,
    options?: Pick<ProgramOptions, 'outputFile' | 'openFilesMax' | 'input'>,
  ): RunningProgram;
  /** Kills every program that still runs and removes the folder. */
  clear(): Promise<void>;
}

/** Creates a folder with a link to the server for each name. */
export async function makePlace(...names: readonly string[]): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'tabularium-dropin-'));
  for (const name of names) await symlink(serverFile, join(folder, name));
  return {
    folder,
    start(name, args, variables = {}, options = {}) {
      return runProgram([process.execPath, join(folder, name), ...args], {
        cwd: folder,
        environment: cleanEnvironment(variables),
        ...options,
      });
    },
    async clear() {
      killLeftovers();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
