import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder for its owner alone, and its parents. Does nothing if it exists. Errors: those of the file system, also if the
 * path is a file.
 *
 * Node's `recursive` option never returns for a path in /proc: creating a folder there fails with ENOENT, and Node retries forever.
 */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  try {
    await makeSingle(path, mode);
  } catch (error) {
    const above = dirname(path);
    if (!isMissing(error) || above === path) throw error;
    await makeFolder(above, 0o777);
    await makeSingle(path, mode);
  }
}

async function makeSingle(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const found = await stat(path).catch(() => undefined);
    if (!found?.isDirectory()) throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Syncs the names in a folder, so that a power failure keeps its files. Windows does so by itself, and has no call for it. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
