/**
 * The reason why a store cannot be opened or written.
 *
 * - `in-use`: another process has the data
 * - `damaged`: parts of the data are missing or unreadable
 * - `torn-write`: the last write was torn and is dropped; the store opens
 * - `other-format`: another version wrote the data
 * - `foreign-data`: the folder belongs to another program
 * - `disk-full`: there is not enough free space
 * - `too-many-files`: the process may not open more files
 * - `other-service`: the account has data of another service
 * - `no-access`: the operating system or the database denies access, or fails
 */
export type StoreErrorCode =
  | 'in-use'
  | 'damaged'
  | 'torn-write'
  | 'other-format'
  | 'foreign-data'
  | 'disk-full'
  | 'too-many-files'
  | 'other-service'
  | 'no-access';

/** A store that cannot be used. The message is the fault, then the remedy. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  /** The problem, as a sentence. */
  readonly fault: string;
  /** The fix, in sentences. */
  readonly remedy: string;

  constructor(code: StoreErrorCode, fault: string, remedy: string) {
    super(`${fault} ${remedy}`);
    this.code = code;
    this.fault = fault;
    this.remedy = remedy;
  }
}
