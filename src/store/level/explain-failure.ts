import { StoreError } from '../store-error.js';

/** The fix for a process that cannot open more files. */
export const raiseFileLimit = 'Raise the limit of open files (ulimit -n) to 1024 or more.';

/** Returns the error, with the fix, for an engine that did not open. */
export function explainOpenFailure(error: unknown, location: string): StoreError {
  const { code, message } = causeOf(error);
  if (code === 'LEVEL_LOCKED') return explainLock(message, location);
  if (code === 'LEVEL_CORRUPTION') return damaged(message, location, 'opened');
  const fault = `The data in ${location} cannot be opened: ${message}.`;
  if (/too many open files/i.test(message)) return new StoreError('too-many-files', fault, raiseFileLimit);
  if (/permission denied|EPERM/i.test(message)) return new StoreError('no-access', fault, grantAccess());
  return new StoreError(
    'no-access',
    fault,
    'Check that the folder is writable and that its disk is not full, or choose another --location.',
  );
}

/** Returns the fix for a folder that is not writable. A container often runs as another user than the owner of its mounted folder. */
function grantAccess(): string {
  const [user, group] = [process.getuid?.(), process.getgid?.()];
  if (user === undefined) return 'Check that the folder is writable for this user, or choose another --location.';
  return (
    `Check that the folder is writable for user ${user}, group ${group}: change its owner (chown -R ${user}:${group}), ` +
    'start a container as its owner (docker run --user), or choose another --location.'
  );
}

/** Returns the error for data that another process has open. */
export function inUse(location: string): StoreError {
  return new StoreError(
    'in-use',
    `The data in ${location} is in use by another process.`,
    'Stop it, or choose another --location.',
  );
}

/** Whether an engine did not open because the folder could not be locked. */
export function isLockFault(error: unknown): boolean {
  return causeOf(error).code === 'LEVEL_LOCKED';
}

/** Returns the error for a folder that could not be locked. LevelDB has one code for a held lock and for a file system without locks. */
function explainLock(message: string, location: string): StoreError {
  const [reason] = /no locks available|not supported|not implemented|input\/output error/i.exec(message) ?? [];
  if (reason === undefined) return inUse(location);
  return new StoreError(
    'no-access',
    `The data in ${location} cannot be locked: ${message}.`,
    'Its file system must have locks that work: start the lock service of NFS, or choose another --location.',
  );
}

/** Returns the error for damaged data. LevelDB, once opened, has changed its own files. */
export function damaged(reason: string, location: string, engine: 'closed' | 'opened' = 'closed'): StoreError {
  const unchanged = engine === 'closed' ? 'Nothing was changed. ' : '';
  return new StoreError(
    'damaged',
    `The data in ${location} is damaged: ${reason}.`,
    `${unchanged}Restore a copy of the folder.`,
  );
}

function causeOf(error: unknown): { code: unknown; message: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return { code, message: cause instanceof Error ? cause.message : String(cause) };
}
