import type { RecordChange } from '../engine/engine.js';

/** The size of the log up to which a start or an end keeps it. Unit: bytes. (Our choice: reading it takes less time than a checkpoint.) */
export const keptBytesMax = 1024 * 1024;

/** The log that every commit reaches first, in order. */
export interface CommitLog {
  readonly last: number;
  /** The size that a start would read. Unit: bytes. */
  readonly bytes: number;
  /** Whether LevelDB should prove its commits, so that segments can be deleted. */
  readonly isLarge: boolean;
  /** Whether commits must wait until segments are deleted. */
  readonly isFull: boolean;
  /** Whether no commit can be added until `restart`: a sync has failed, or half a commit could not be removed. */
  readonly isUntrusted: boolean;
  /** Checks now and then that no other process writes to the log, as file systems without locks allow. Errors: StoreError, permanently. */
  checkAlone(): void;
  /** Whether a commit of these changes is too fast to block the event loop. */
  isQuick(changes: readonly RecordChange[]): boolean;
  /** Adds a commit, which then survives a kill. Errors: those of the file system, without the commit. */
  append(changes: readonly RecordChange[]): void;
  /** Like `append`, in a thread of its own. No other commit may be added meanwhile. */
  appendLater(changes: readonly RecordChange[]): Promise<void>;
  /** Syncs all commits so far. After an error the log is untrusted, and rejects commits until `restart`. */
  sync(): Promise<void>;
  /** Revokes the commits after `last`, whose sync failed: a start must not find them. */
  cancel(last: number): Promise<void>;
  /** Begins a segment, after the commit in progress. */
  turn(): Promise<void>;
  /** Deletes the segments without commits after `last`, which LevelDB has proved, except the newest. */
  release(last: number): Promise<void>;
  /** Begins a segment and deletes all others, whose commits LevelDB has proved. The log is trusted again. */
  restart(): Promise<void>;
  /** Marks everything as on disk, for the next start, and closes the files. */
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
    // V8 flattens a joined string when one of its characters is read; otherwise its parts stay in memory. The sum keeps V8 from
    // optimizing the reads away.
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
