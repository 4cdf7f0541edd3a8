import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from './format.js';

/** What LevelDB's small files take when it opens. Unit: bytes. Estimate. */
const smallFilesBytes = 256 * 1024;

/**
 * Makes sure that LevelDB could be opened anew: then it puts all of its log into a table, which takes as much room.
 *
 * Errors: StoreError saying how much room is wanted.
 */
export async function checkRoom(folder: string): Promise<void> {
  const logs = (await readdir(folder)).filter((name) => /^\d+\.log$/.test(name));
  let wanted = smallFilesBytes;
  for (const name of logs) wanted += (await stat(join(folder, name))).size;
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= wanted) return;
  throw new StoreError(
    `The data in ${folder} cannot be written: the disk is full. Reads go on; ` +
      `writes do when ${Math.ceil(wanted / 1024)} KiB are free.`,
  );
}
