import type { RecordChange } from '../engine/engine.js';

/** How much of the log a start or an end leaves. Unit: bytes. (Our choice: the next start reads it in less time than a checkpoint takes.) */
export const keptBytesMax = 1024 * 1024;

/** Where commits are written in their order, before anything else gets them. */
export interface CommitLog {
  readonly last: number;
  /** The size of all that a start would read. Unit: bytes. */
  readonly bytes: number;
  /** Whether LevelDB should prove its commits, so that segments can be deleted. */
  readonly isLarge: boolean;
  /** Whether commits must wait until segments are deleted. */
  readonly isFull: boolean;
  /** Whether no commit can be added until `restart`: a sync has failed, or half a commit could not be removed. */
  readonly isUntrusted: boolean;
  /** Looks now and then whether another process writes to the same log, which file systems without locks allow. Errors: StoreError, for good. */
  checkAlone(): void;
  /** Whether a commit of these changes does not hold up the event loop. */
  isQuick(changes: readonly RecordChange[]): boolean;
  /** Adds a commit, which then survives a kill. Errors: those of the file system; then it is not added. */
  append(changes: readonly RecordChange[]): void;
  /** The same in a thread of its own. No other commit may be added meanwhile. */
  appendLater(changes: readonly RecordChange[]): Promise<void>;
  /** Writes all commits so far to disk. After an error the log is not trusted, and takes no commits until `restart`. */
  sync(): Promise<void>;
  /** Takes commits back that could not be synced: a start must not find those after `last`. */
  cancel(last: number): Promise<void>;
  /** Begins a segment, after the commit that is being written. */
  turn(): Promise<void>;
  /** Deletes the segments with no commit after `last`, which LevelDB has proved, but for the newest. */
  release(last: number): Promise<void>;
  /** Begins a segment and deletes all others, because LevelDB has proved that it has everything. The log is trusted again. */
  restart(): Promise<void>;
  /** Says to the next start that everything is on disk, and closes the files. */
  close(): void;
}

/** The log of a store in memory, which keeps nothing. */
export class MemoryLog implements CommitLog {
  last = 0;
  readonly bytes = 0;
  readonly isLarge = false;
  readonly isFull = false;
  readonly isUntrusted = false;
  #read = 0;
  checkAlone(): void {}
  isQuick(): boolean {
    return true;
  }
  append(changes: readonly RecordChange[]): void {
    this.last++;
    // V8 copies a string that was joined from parts of a request or a file when a character of it is read. The parts would otherwise stay
    // in memory. The sum keeps V8 from leaving the reads out.
    for (const { key, value } of changes)
      this.#read = (this.#read + key.charCodeAt(0) + (value?.charCodeAt(0) ?? 0)) | 0;
  }
  async appendLater(changes: readonly RecordChange[]): Promise<void> {
    this.append(changes);
  }
  async sync(): Promise<void> {}
  async cancel(): Promise<void> {}
  async turn(): Promise<void> {}
  async release(): Promise<void> {}
  async restart(): Promise<void> {}
  close(): void {}
}
