import { chmod, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Bits of a file's mode. Source: POSIX, sys/stat.h. */
const mode = { groupMayWrite: 0o020, groupFile: 0o060, groupFolder: 0o070, filesKeepGroup: 0o2000 } as const;

/**
 * Whether what this process makes in a folder is for the folder's group too: the group may write to the folder, and new
 * files get this group. Where the folder does not exist yet, the nearest one above it counts. On a volume of group 0, as
 * OpenShift has it, each start may run as another user.
 */
export async function isSharedWithGroup(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  const above = dirname(folder);
  if (!found) return above !== folder && isSharedWithGroup(above);
  const keepsGroup = (found.mode & mode.filesKeepGroup) !== 0 || found.gid === process.getgid?.();
  return process.getgid !== undefined && (found.mode & mode.groupMayWrite) !== 0 && keepsGroup;
}

/** The umask that lets the group do what the owner may. */
export function withoutGroup(umask: number): number {
  return umask & ~mode.groupFolder;
}

/**
 * Lets the group write a data folder and its files where it may write the location. LevelDB makes its lock so that only
 * the owner may write it, whatever the umask. Files of another owner stay as they are.
 */
export async function shareWithGroup(location: string, folder: string): Promise<void> {
  if (!(await isSharedWithGroup(location))) return;
  await allow(folder, mode.groupFolder);
  for (const name of await readdir(folder)) await allow(join(folder, name), mode.groupFile);
}

async function allow(path: string, bits: number): Promise<void> {
  try {
    const found = await stat(path);
    if ((found.mode & bits) !== bits) await chmod(path, (found.mode & 0o7777) | bits);
  } catch {
    // A file of another owner, or one that LevelDB has removed.
  }
}
