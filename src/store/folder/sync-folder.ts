import { open } from 'node:fs/promises';

/** Writes the names in a folder to disk, so that a power failure keeps its files. Windows does so by itself, and has no call for it. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
