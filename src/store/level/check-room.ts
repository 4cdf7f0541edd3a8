import { constants } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError, type StoreErrorCode } from '../store-error.js';

/** What LevelDB's small files take when it opens. Unit: bytes. Estimate. */
const smallFilesBytes = 256 * 1024;

const mebibyte = 1024 * 1024;

/**
 * Makes sure that a write could succeed: the folder can be written and its disk is not full. Writes nothing.
 *
 * Errors: StoreError with what is missing.
 */
export async function checkWritable(folder: string): Promise<void> {
  await checkAccess(folder);
  if ((await freeBytes(folder)) === 0)
    throw cannotWrite('disk-full', folder, 'the disk is full', 'there is free space on the disk');
}

/**
 * Makes sure that LevelDB can be opened again after a failed write.
 *
 * Errors: StoreError with how much space is missing.
 */
export async function checkRoom(folder: string): Promise<void> {
  await checkAccess(folder);
  const { wanted, free } = await roomToOpen(folder);
  if (free < wanted) throw cannotWrite('disk-full', folder, 'the disk is full', explainRoom(wanted, free));
}

/** Explains why a store did not open on a full disk. */
export async function explainFullDisk(folder: string): Promise<StoreError> {
  const { wanted, free } = await roomToOpen(folder);
  return new StoreError(
    'disk-full',
    `The data in ${folder} cannot be opened: the disk is full.`,
    `It opens when ${explainRoom(wanted, free)}.`,
  );
}

/**
 * How much space LevelDB needs to open a store: it writes all of its log, up to 16 MiB and sometimes twice that, into a
 * table before it deletes the log. Merging tables takes more, for a while. Unit: bytes.
 */
async function roomToOpen(folder: string): Promise<{ wanted: number; free: number }> {
  const logs = (await readdir(folder)).filter((name) => /^\d+\.log$/.test(name));
  let wanted = smallFilesBytes;
  for (const name of logs) wanted += (await stat(join(folder, name))).size;
  return { wanted, free: await freeBytes(folder) };
}

/** Rounds so that the amount that is named is always enough. */
function explainRoom(wanted: number, free: number): string {
  const missing = `at least ${Math.ceil((10 * wanted) / mebibyte) / 10} MiB are free`;
  return `${missing}, since the newest writes are first put into a table (${Math.floor((10 * free) / mebibyte) / 10} MiB are free now)`;
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

/** The free space for this process. Unit: bytes. Infinite where the file system does not know its size. */
async function freeBytes(folder: string): Promise<number> {
  const { blocks, bavail, bsize } = await statfs(folder);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

function cannotWrite(code: StoreErrorCode, folder: string, reason: string, condition: string): StoreError {
  return new StoreError(
    code,
    `The data in ${folder} cannot be written: ${reason}.`,
    `Reads go on; writes go on when ${condition}.`,
  );
}
