import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../../store-error.js';
import { type LogContent, readLog } from '../check/leveldb/read-log.js';
import type { Manifest } from '../check/leveldb/read-manifest.js';
import { damaged } from '../explain-failure.js';
import { decodeOldCommits, oldCommitFiles } from './old-commits.js';

/** What the logs of a folder with an older format are. */
export interface OldLogs {
  /** The names of the files that count, LevelDB's first. */
  readonly names: readonly string[];
  /** A warning to report, if the last write was cut off. */
  readonly warning: StoreError | undefined;
}

/**
 * Checks LevelDB's own logs and the log of commits before segments. In older formats they may be the only copy of what they have, and LevelDB
 * skips what is damaged. Changes nothing. Errors: StoreError if a log is damaged or missing.
 */
export async function checkOldLogs(folder: string, names: readonly string[], manifest: Manifest): Promise<OldLogs> {
  const logs = findLogs(folder, names, manifest);
  const commits = oldCommitFiles.filter((name) => names.includes(name));
  if (commits.length === 1) {
    throw damaged(`the file ${oldCommitFiles.find((name) => !names.includes(name))} is missing`, folder);
  }
  const warning = (await checkLogs(folder, logs, readLog)) ?? (await checkLogs(folder, commits, decodeOldCommits));
  return { names: [...logs, ...commits], warning };
}

/** Finds LevelDB's logs whose writes are not yet in a table file, oldest first. */
function findLogs(folder: string, names: readonly string[], { log: oldest }: Manifest): readonly string[] {
  const logs = names
    .filter((name) => /^\d+\.log$/.test(name) && Number.parseInt(name, 10) >= oldest)
    .sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
  if (oldest > 0 && Number.parseInt(logs[0] ?? '', 10) !== oldest) {
    throw damaged(`the file ${String(oldest).padStart(6, '0')}.log is missing`, folder);
  }
  return logs;
}

/** Returns a warning if the last write was cut off. Errors: StoreError if a log is damaged. */
async function checkLogs(
  folder: string,
  logs: readonly string[],
  read: (bytes: Buffer) => Pick<LogContent, 'end' | 'rest'>,
): Promise<StoreError | undefined> {
  let warning: StoreError | undefined;
  for (const name of logs) {
    const path = join(folder, name);
    const bytes = await readFile(path);
    const { end, rest } = read(bytes);
    if (rest === 'damaged') {
      const cut = `cutting ${path} to its first ${end} bytes loses only the writes after them`;
      throw damaged(`the file ${name} is damaged at byte ${end}${name === logs.at(-1) ? ` (${cut})` : ''}`, folder);
    }
    if (rest === 'torn') {
      warning = new StoreError(
        'torn-write',
        `The file ${path} ended within a write, whose ${bytes.length - end} bytes were left out.`,
        'A killed process or a full disk causes this, and the write was not acknowledged. ' +
          'If something else has shortened the file, writes are lost.',
      );
    }
  }
  return warning;
}
