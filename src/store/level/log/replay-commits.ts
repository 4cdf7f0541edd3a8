import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../engine/engine.js';
import { commitsKey, formatKey } from '../engine/key-encoding.js';
import { damaged } from '../explain-failure.js';
import { loggedFormat, partlyLoggedFormat } from '../format-file.js';
import { proveOnDisk } from './catch-up.js';
import { commitLogFiles } from './commit-log.js';
import { decodeCommits, type LoggedCommit } from './commit-record.js';

/**
 * Gives an open engine the commits of the log after a kill or a power failure, on disk. Returns the number of the last commit.
 *
 * All of them, whatever the engine has: it may have lost any part of the commits that it has not proved, and the log has all of these. A
 * commit contains absolute values, so it may be replayed. Without the format that counts on a log, the engine has everything.
 * `location` names the data in messages. Errors: StoreError if commits are missing.
 */
export async function replayCommits(engine: Engine, folder: string, location: string): Promise<number> {
  const last = Number(engine.getSync(commitsKey) ?? 0);
  const format = engine.getSync(formatKey);
  if (format !== String(loggedFormat) && format !== String(partlyLoggedFormat)) return last;
  const files = await Promise.all(commitLogFiles.map((name) => readCommits(folder, name, location)));
  const commits = files.flat().sort((one, other) => one.number - other.number);
  // In the older format, newer changes may have gone to the engine directly.
  const replayed = format === String(loggedFormat) ? commits : commits.filter(({ number }) => number > last);
  const first = Math.min(last + 1, replayed[0]?.number ?? last + 1);
  const gap = replayed.findIndex(({ number }, at) => number !== first + at);
  if (gap >= 0) {
    const remedy = `emptying ${commitLogFiles.join(' and ')} loses only the writes in them`;
    throw damaged(`commits before number ${replayed[gap]?.number} are missing in the log (${remedy})`, location);
  }
  const newest = Math.max(last, replayed.at(-1)?.number ?? last);
  if (replayed.length === 0) return newest;
  const batch = engine.batch();
  for (const { changes } of replayed) {
    for (const { key, value } of changes) {
      if (value === null) batch.del(key);
      else batch.put(key, value);
    }
  }
  await batch.write();
  // The log is emptied next.
  await proveOnDisk(engine, newest);
  return newest;
}

/** Returns the whole commits of a file. What is after them was refused or reported when the folder was checked. */
async function readCommits(folder: string, name: string, location: string): Promise<readonly LoggedCommit[]> {
  try {
    return decodeCommits(await readFile(join(folder, name))).commits;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw damaged(`the file ${name} is missing`, location);
  }
}
