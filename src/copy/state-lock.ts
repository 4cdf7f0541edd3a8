import { readFile, writeFile } from 'node:fs/promises';
import { removeFile } from '../change-file.js';
import { CopyFault } from './ends/end.js';

/** Creates a file with the id and the start of this process. Replaces that of a process that has ended. Errors: CopyFault. */
export async function takeLock(path: string): Promise<void> {
  try {
    return await writeFile(path, `${process.pid} ${performance.timeOrigin}`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const text = await readLock(path);
  const [owner = 0, startedAt] = text.split(' ').map(Number);
  // In a container, the process before this one may have had the same id.
  const isEarlier = owner === process.pid && startedAt !== performance.timeOrigin;
  // A file without an id is being written.
  if (owner === 0 || (isRunning(owner) && !isEarlier)) throw usedState(path, owner);
  // Only one copy may replace it. Otherwise, one could remove the new file of another.
  await takeLock(`${path}.lock`);
  try {
    if ((await readLock(path)) !== text) throw usedState(path, owner);
    await removeFile(path);
    await takeLock(path);
  } finally {
    await removeFile(`${path}.lock`);
  }
}

function readLock(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

function usedState(path: string, owner: number): CopyFault {
  const fix = 'Wait for its end, or remove that file if no copy runs.';
  return new CopyFault(`Another copy uses this state: ${path} names the process ${owner}. ${fix}`);
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
