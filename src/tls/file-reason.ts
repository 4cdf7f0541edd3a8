/** Texts for the error codes of the file system. */
const reasons: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'it does not exist'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of its path is a file, not a folder'],
  ['EEXIST', 'a part of its path is a file, not a folder'],
  ['ENXIO', 'it is not a file, but a socket or a device'],
  ['EACCES', 'this user may not access it'],
  ['EPERM', 'this user may not access it'],
  ['EROFS', 'the file system is read-only'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ELOOP', 'its links form a circle'],
]);

/** Returns why the system refused a file: "it is a folder". For other codes it returns the system's message. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return reasons.get(code) ?? (error instanceof Error ? error.message : String(error));
}
