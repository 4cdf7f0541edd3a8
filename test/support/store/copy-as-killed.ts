import { cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Copies the folder of an open store, as a kill at this moment would leave it.
 *
 * Only the threads of the engine can change files during this call. If they do, the files are copied again, because some copies
 * would be older than others. The lock stays, because closing a copy of it would release it.
 */
export function copyAsKilled(from: string, to: string): void {
  for (let isWhole = false; !isWhole; ) {
    rmSync(to, { recursive: true, force: true });
    isWhole = unlessGone(from, () => {
      const before = describeFiles(from);
      cpSync(from, to, { recursive: true, filter: (path) => basename(path) !== 'LOCK' });
      return before === describeFiles(from);
    });
  }
}

/** Returns the names of all files in a folder, with their sizes and when they were changed. */
function describeFiles(folder: string): string {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return paths
    .map((path) => {
      const { size, mtimeMs } = statSync(join(folder, path));
      return `${path} ${size} ${mtimeMs}`;
    })
    .join('\n');
}

/** Returns what a function returns, or false if a file that it found in a folder was removed. */
function unlessGone(folder: string, look: () => boolean): boolean {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT' && existsSync(folder)) return false;
    throw error;
  }
}
