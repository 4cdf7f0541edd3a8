import { constants } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError, type StoreErrorCode } from '../store-error.js';
import { type LogFiles, systemFiles } from './log/log-files.js';

/** Free space that LevelDB's small files need when it opens. Unit: bytes. Estimate. */
const smallFilesBytes = 256 * 1024;

/** How often LevelDB writes a commit: into its own log, and into a table file. */
const copies = 2;

/** The name of a file that is written to prove that the disk takes it, and then removed. */
const probeFile = 'COMMITS-probe';

const mebibyte = 1024 * 1024;

/** Files whose changes LevelDB writes into table files at a start: its own logs and the log of commits. */
const logFiles = /^(?:\d+\.log|COMMITS-\d+)$/;

/**
 * Checks that a write could succeed: the folder is writable and its disk is not full. Writes nothing.
 *
 * Errors: StoreError with the reason.
 */
export async function checkWritable(folder: string): Promise<void> {
  await checkAccess(folder);
  if ((await freeBytes(folder)) === 0)
    throw cannotWrite('disk-full', folder, 'the disk is full', 'there is free space on the disk');
}

/**
 * Proves that a file can be written to disk: a folder that can be accessed may be on a disk that fails all writes.
 *
 * Errors: StoreError with the reason.
 */
export async function proveWritable(folder: string, files: LogFiles = systemFiles): Promise<void> {
  const path = join(folder, probeFile);
  try {
    const descriptor = files.create(path);
    try {
      files.write(descriptor, Buffer.from('probe'), 0);
      await files.sync(descriptor);
    } finally {
      files.close(descriptor);
      await files.remove(path);
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const code = (await isDiskFull(error, folder)) ? 'disk-full' : 'no-access';
    throw cannotWrite(code, folder, reason, 'a file can be written there and synced');
  }
}

/**
 * Checks that the disk has enough free space for LevelDB to take all commits of the log and to reopen the folder after a failed write, or to
 * compact. `unprovedBytes` is the size of the log, if nothing else is asked: then the files are not looked at.
 *
 * Errors: StoreError with the free space that is needed.
 */
export async function checkFreeSpace(folder: string, unprovedBytes?: number): Promise<void> {
  if (unprovedBytes === undefined) await checkAccess(folder);
  else if ((await freeBytes(folder)) >= smallFilesBytes + copies * unprovedBytes) return;
  const { needed, free } = await spaceToOpen(folder);
  if (free < needed) throw cannotWrite('disk-full', folder, 'the disk is full', describeSpace(needed, free));
}

/**
 * Whether an operation failed because the disk of a folder is full. LevelDB reports that only as a sentence in the language of
 * the system, so the free space decides.
 */
export async function isDiskFull(error: unknown, folder: string): Promise<boolean> {
  if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return true;
  const { needed, free } = await spaceToOpen(folder);
  return free < needed;
}

/** Returns the error for a store that did not open because the disk is full. */
export async function explainFullDisk(folder: string): Promise<StoreError> {
  const { needed, free } = await spaceToOpen(folder);
  return new StoreError(
    'disk-full',
    `The data in ${folder} cannot be opened: the disk is full.`,
    `It opens when ${describeSpace(needed, free)}.`,
  );
}

/**
 * Returns the free space that LevelDB needs to open a store, and the free space that there is. Unit: bytes.
 *
 * LevelDB writes its whole log (up to 16 MiB, sometimes twice that) into a sorted table file before it deletes the log. A
 * compaction may need more for a while. It also gets the log of commits, first in its own log and then in a table file.
 */
async function spaceToOpen(folder: string): Promise<{ needed: number; free: number }> {
  const logs = (await readdir(folder)).filter((name) => logFiles.test(name));
  let needed = smallFilesBytes;
  for (const name of logs) {
    const { size } = await stat(join(folder, name));
    needed += name.startsWith('COMMITS') ? copies * size : size;
  }
  return { needed, free: await freeBytes(folder) };
}

/** Rounds the needed space up and the free space down, so that the printed amount always suffices. */
function describeSpace(needed: number, free: number): string {
  const condition = `at least ${Math.ceil((10 * needed) / mebibyte) / 10} MiB are free`;
  const now = `${Math.floor((10 * free) / mebibyte) / 10} MiB are free now`;
  return `${condition}, because LevelDB first copies its log into a table file (${now})`;
}

async function checkAccess(folder: string): Promise<void> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw cannotWrite(
      'no-access',
      folder,
      error instanceof Error ? error.message : String(error),
      'the folder can be written',
    );
  }
}

/** Returns the free space for this process. Unit: bytes. Infinity if the file system does not report its size. */
async function freeBytes(folder: string): Promise<number> {
  const { blocks, bavail, bsize } = await statfs(folder);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

function cannotWrite(code: StoreErrorCode, folder: string, reason: string, condition: string): StoreError {
  return new StoreError(
    code,
    `The data in ${folder} cannot be written: ${reason}.`,
    `Reads continue; writes continue when ${condition}.`,
  );
}
