import { rename, rm, unlink } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** How long a change is retried on Windows. Virus scanners and indexers hold new files that long at most. (Our choice.) Unit: milliseconds. */
const retryMs = 2000;

/** Error codes that Windows reports while another program has a file open. */
const heldCodes: ReadonlySet<string> = new Set(['EACCES', 'EBUSY', 'EPERM', 'ENOTEMPTY']);

/** Renames a file or folder, as `rename` of Node.js does. Retries while another program holds it on Windows. */
export async function renameFile(from: string, to: string): Promise<void> {
  await retryWhileHeld(() => rename(from, to));
}

/** Deletes a file or folder with its contents, if it exists. Retries as `renameFile` does. */
export async function removeFile(path: string): Promise<void> {
  await retryWhileHeld(() => rm(path, { recursive: true, force: true }));
}

/** Deletes a file, which must exist. Retries as `renameFile` does. */
export async function unlinkFile(path: string): Promise<void> {
  await retryWhileHeld(() => unlink(path));
}

/** Makes a change, and on Windows repeats it for two seconds while another program holds the file. Errors: the last one. */
export async function retryWhileHeld(
  change: () => Promise<void>,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  let waitedMs = 0;
  for (let pauseMs = 10; ; pauseMs = Math.min(2 * pauseMs, 200)) {
    try {
      return await change();
    } catch (error) {
      if (platform !== 'win32' || !isHeld(error) || waitedMs >= retryMs) throw error;
      await wait(pauseMs);
      waitedMs += pauseMs;
    }
  }
}

function isHeld(error: unknown): boolean {
  return error instanceof Error && 'code' in error && heldCodes.has(String(error.code));
}
