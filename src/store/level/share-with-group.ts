import { chmod, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Bits of the mode of a file. Source: POSIX, sys/stat.h. */
const mode = {
  groupMayWrite: 0o020,
  groupFile: 0o060,
  groupFolder: 0o070,
  notOwner: 0o077,
  filesKeepGroup: 0o2000,
} as const;

/**
 * Whether the group of a folder shares the files that this process creates in it: the group may write to the folder, and new files get
 * this group. For a missing folder, its nearest existing parent counts. On a volume of group 0, as in OpenShift, each start may run as
 * another user.
 */
export async function isSharedWithGroup(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  const above = dirname(folder);
  if (!found) return above !== folder && isSharedWithGroup(above);
  const keepsGroup = (found.mode & mode.filesKeepGroup) !== 0 || found.gid === process.getgid?.();
  return process.getgid !== undefined && (found.mode & mode.groupMayWrite) !== 0 && keepsGroup;
}

/** Returns the umask that gives the group the permissions of the owner. */
export function withoutGroup(umask: number): number {
  return umask & ~mode.groupFolder;
}

/**
 * Opens the data folder to its owner alone or, if the group may write to the location, to the group, with its files: LevelDB makes its
 * lock file writable for the owner only, whatever the umask. Files of another owner stay unchanged.
 */
export async function shareWithGroup(location: string, folder: string): Promise<void> {
  const isShared = await isSharedWithGroup(location);
  await setBits(folder, isShared ? mode.groupFolder : 0, mode.notOwner);
  if (!isShared) return;
  for (const name of await readdir(folder)) await setBits(join(folder, name), mode.groupFile, mode.groupFile);
}

/** Sets the bits `among` of a file's mode to `bits`. */
async function setBits(path: string, bits: number, among: number): Promise<void> {
  try {
    const found = await stat(path);
    if ((found.mode & among) !== bits) await chmod(path, (found.mode & 0o7777 & ~among) | bits);
  } catch {
    // The file has another owner, or LevelDB has deleted it.
  }
}
