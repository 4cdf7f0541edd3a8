import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../engine.js';
import { damaged } from '../explain-failure.js';
import { loggedFormat } from '../format-file.js';
import { commitsKey, formatKey } from '../key-encoding.js';
import { commitLogFiles } from './commit-log.js';
import { decodeCommits, type LoggedCommit } from './commit-record.js';

/**
 * Gives an open engine the commits that are only in the log, after a kill. Returns the number of the last commit.
 *
 * Without the format that counts on a log, the engine has everything, and what is in a folder is left over. `location` names the
 * data in messages. Errors: StoreError if commits are missing.
 */
export async function replayCommits(engine: Engine, folder: string, location: string): Promise<number> {
  const last = Number(engine.getSync(commitsKey) ?? 0);
  if (engine.getSync(formatKey) !== String(loggedFormat)) return last;
  const files = await Promise.all(commitLogFiles.map((name) => readCommits(folder, name, location)));
  const commits = files.flat().sort((one, other) => one.number - other.number);
  const missed = commits.filter(({ number }) => number > last);
  const gap = missed.findIndex(({ number }, at) => number !== last + 1 + at);
  if (gap >= 0) {
    const remedy = `emptying ${commitLogFiles.join(' and ')} loses only the writes in them`;
    throw damaged(`commits before number ${missed[gap]?.number} are missing in the log (${remedy})`, location);
  }
  const newest = missed.at(-1)?.number ?? last;
  if (newest === last) return last;
  const batch = engine.batch();
  for (const { changes } of missed) {
    for (const { key, value } of changes) {
      if (value === null) batch.del(key);
      else batch.put(key, value);
    }
  }
  const durable: object = { sync: true };
  await batch.put(commitsKey, String(newest)).write(durable);
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
