import { constants } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError, type StoreErrorCode } from '../store-error.js';
import { type LogFiles, systemFiles } from './log/log-files.js';

/** The space for LevelDB's small files when it opens. Unit: bytes. Estimate. */
const smallFilesBytes = 256 * 1024;

/** LevelDB writes a commit into its own log, and into a table file. */
const copies = 2;

/** A file that is written to prove that the disk accepts writes, and then removed. */
const probeFile = 'COMMITS-probe';

const mebibyte = 1024 * 1024;

/** Files whose changes LevelDB writes into table files at a start: its own logs and the commit log. */
const logFiles = /^(?:\d+\.log|COMMITS-\d+)$/;

/** Checks that a folder is writable and its disk is not full. Writes nothing. Errors: StoreError with the reason. */
export async function checkWritable(folder: string): Promise<void> {
  await checkAccess(folder);
  if ((await freeBytes(folder)) === 0)
    throw cannotWrite('disk-full', folder, 'the disk is full', 'there is free space on the disk');
}

/** Writes and syncs a probe file: an accessible folder may be on a disk that fails all writes. Errors: StoreError with the reason. */
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
 * Checks that the disk has enough free space for LevelDB to apply the commit log and to reopen after a failed write, or to compact.
 * `unprovedBytes` is the size of the log: if its part of the space is free, the files are not read. Errors: StoreError with the space.
 */
export async function checkFreeSpace(folder: string, unprovedBytes?: number): Promise<void> {
  if (unprovedBytes === undefined) await checkAccess(folder);
  else if ((await freeBytes(folder)) >= smallFilesBytes + copies * unprovedBytes) return;
  const { needed, free } = await spaceToOpen(folder);
  if (free < needed) throw cannotWrite('disk-full', folder, 'the disk is full', describeSpace(needed, free));
}

/** Whether an operation failed on a full disk. LevelDB reports that only as a localized sentence, so the free space decides. */
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
 * Returns the space that LevelDB needs to open a store, and the free space. Unit: bytes.
 *
 * LevelDB writes its log into a table file before it deletes the log. It also gets the commit log, in its own log and then in a table
 * file. A compaction may need more for a while.
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

/** Rounds the needed space up and the free space down, so that the printed amount suffices. */
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
