import { rename, rm, unlink } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** Time limit for retries on Windows, where virus scanners and indexers briefly hold new files. Unit: milliseconds. (Our choice.) */
const retryMs = 2000;

/** Error codes of Windows while another program has a file open. */
const heldCodes: ReadonlySet<string> = new Set(['EACCES', 'EBUSY', 'EPERM', 'ENOTEMPTY']);

/** Renames a file or folder. Retries while another program holds it on Windows. */
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

/** Retries a change for two seconds while another program holds the file on Windows. Errors: the last one. */
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
