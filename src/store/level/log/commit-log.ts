import { join } from 'node:path';
import type { RecordChange } from '../engine/engine.js';
import { commitBytesMax, encodeCommit } from './commit-record.js';
import { type LogFiles, systemFiles } from './log-files.js';

/** Where commits are written in their order, before anything else gets them. */
export interface CommitLog {
  /** The number of the last commit. */
  readonly last: number;
  /** Whether a file of the log should be freed. */
  readonly isLarge: boolean;
  /** Whether commits must wait until a file is freed. */
  readonly isFull: boolean;
  /** Whether what was written last may not be on disk although a sync followed it. */
  readonly isUntrusted: boolean;
  /** Whether a commit of these changes does not hold up the event loop. */
  isQuick(changes: readonly RecordChange[]): boolean;
  /** Adds a commit. It survives a kill then. Errors: those of the file system; then it is not added. */
  append(changes: readonly RecordChange[]): void;
  /** The same in a thread of its own. No other commit may be added meanwhile. */
  appendLater(changes: readonly RecordChange[]): Promise<void>;
  /** Writes all commits so far to disk. After an error the log is not trusted, and takes no commits until `clear`. */
  sync(): Promise<void>;
  /** Writes the next commits to the other file, if that is free. */
  turn(): void;
  /** Frees the files with no commit after `last`, which the engine has proved. */
  release(last: number): void;
  /** Frees all files, because the engine has proved that it has everything. The log is trusted again. */
  clear(): Promise<void>;
  close(): void;
}

/** The log of a store in memory, which keeps nothing. */
export class MemoryLog implements CommitLog {
  last = 0;
  readonly isLarge = false;
  readonly isFull = false;
  readonly isUntrusted = false;
  #read = 0;
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
  turn(): void {}
  release(): void {}
  async clear(): Promise<void> {}
  close(): void {}
}

/** The files of the log in a data folder. While the engine takes over what is in one, new commits go to the other. */
export const commitLogFiles = ['COMMITS-1', 'COMMITS-2'] as const;

/** From this size of a file on, the engine should take over what is in it. Unit: bytes. (Our choice: a checkpoint writes a whole table file then.) */
const largeBytes = 16 * 1024 * 1024;

/** The longest strings that are written at once. Unit: UTF-16 code units. (Our choice: more would hold up the event loop.) */
const quickUnitsMax = 256 * 1024;

/** A write that takes longer has held up every request. Unit: milliseconds. (Our choice.) */
const slowMs = 20;

/** How long commits are written in a thread of their own after a slow write. Unit: milliseconds. (Our choice.) */
const restMs = 10_000;

/** The most that a commit can take which is encoded in memory that is kept for the next one. Unit: bytes. (Our choice: all that are quick.) */
const bufferBytesMax = 1024 * 1024;

interface LogFile {
  readonly descriptor: number;
  /** The position at which the next commit is written. */
  bytes: number;
  /** The number of its last commit. */
  last: number;
  /** The number of the last commit that is on disk. */
  synced: number;
  /** Whether it could not be cut, so that something follows its last whole commit. */
  isUncut: boolean;
}

/** What a log in files needs. */
export interface FileLogOptions {
  readonly files?: LogFiles;
  /** The size from which on a file is large. Twice as large, it takes no more commits. Unit: bytes. */
  readonly fileBytes?: number;
  /** Returns the time. Unit: milliseconds. */
  readonly now?: () => number;
}

/**
 * Keeps commits in files. A commit is written in the turn in which it is made, which takes a microsecond, where a write to LevelDB takes two
 * switches of threads.
 */
export class FileLog implements CommitLog {
  readonly #files: LogFile[];
  readonly #system: LogFiles;
  readonly #fileBytes: number;
  #active: LogFile;
  #last: number;
  #isAppending = false;
  #isUntrusted = false;
  #buffer = Buffer.allocUnsafe(64 * 1024);
  readonly #now: () => number;
  #restsUntil = 0;

  /** Opens an empty log in a folder. The number of the first commit is the one after `last`. Errors: those of the file system. */
  constructor(
    folder: string,
    last: number,
    { files = systemFiles, fileBytes = largeBytes, now = () => performance.now() }: FileLogOptions = {},
  ) {
    this.#last = last;
    this.#system = files;
    this.#fileBytes = fileBytes;
    this.#now = now;
    this.#files = commitLogFiles.map((name) => ({
      descriptor: files.create(join(folder, name)),
      ...{ bytes: 0, last, synced: last, isUncut: false },
    }));
    this.#active = this.#files[0] as LogFile;
  }

  get last(): number {
    return this.#last;
  }

  get isLarge(): boolean {
    return this.#active.bytes >= this.#fileBytes;
  }

  get isFull(): boolean {
    return this.#active.bytes >= 2 * this.#fileBytes;
  }

  get isUntrusted(): boolean {
    return this.#isUntrusted;
  }

  isQuick(changes: readonly RecordChange[]): boolean {
    if (this.#restsUntil > 0 && this.#now() < this.#restsUntil) return false;
    let units = 0;
    for (const { key, value } of changes) units += key.length + (value?.length ?? 0);
    return units <= quickUnitsMax;
  }

  append(changes: readonly RecordChange[]): void {
    const file = this.#active;
    const bytes = this.#encode(changes);
    const begun = this.#now();
    try {
      this.#check(file);
      this.#system.write(file.descriptor, bytes, file.bytes);
    } catch (error) {
      this.#cut(file);
      throw error;
    }
    this.#added(file, bytes.length);
    const ended = this.#now();
    if (ended - begun > slowMs) this.#restsUntil = ended + restMs;
  }

  async appendLater(changes: readonly RecordChange[]): Promise<void> {
    const file = this.#active;
    const bytes = this.#encode(changes);
    this.#isAppending = true;
    try {
      this.#check(file);
      await this.#system.writeLater(file.descriptor, bytes, file.bytes);
    } catch (error) {
      this.#cut(file);
      throw error;
    } finally {
      this.#isAppending = false;
    }
    this.#added(file, bytes.length);
  }

  async sync(): Promise<void> {
    try {
      for (const file of this.#files) {
        const { last } = file;
        if (file.synced === last) continue;
        await this.#system.sync(file.descriptor);
        file.synced = Math.max(file.synced, last);
      }
    } catch (error) {
      // The system may have marked pages as clean that it could not write.
      this.#isUntrusted = true;
      throw error;
    }
  }

  turn(): void {
    const other = this.#files.find((file) => file !== this.#active);
    if (!this.#isAppending && other && other.bytes === 0 && !other.isUncut) this.#active = other;
  }

  release(last: number): void {
    for (const file of this.#files) {
      const isInUse = this.#isAppending && file === this.#active;
      if (file.bytes === 0 || file.last > last || isInUse) continue;
      file.bytes = 0;
      this.#cut(file);
    }
  }

  async clear(): Promise<void> {
    for (const file of this.#files) {
      file.bytes = 0;
      this.#system.cut(file.descriptor, 0);
      file.isUncut = false;
      await this.#system.sync(file.descriptor);
      file.synced = file.last;
    }
    this.#isUntrusted = false;
  }

  /** Closes the files. Each once: another file may get their descriptors. */
  close(): void {
    for (const { descriptor } of this.#files.splice(0)) this.#system.close(descriptor);
  }

  /** Returns the bytes of a commit, until the next one is encoded. */
  #encode(changes: readonly RecordChange[]): Buffer {
    const bytesMax = commitBytesMax(changes);
    const buffer = bytesMax <= this.#buffer.length ? this.#buffer : Buffer.allocUnsafe(bytesMax);
    if (bytesMax <= bufferBytesMax) this.#buffer = buffer;
    return buffer.subarray(0, encodeCommit(buffer, { number: this.#last + 1, changes }));
  }

  /** Removes again what follows the last commit of a file. Errors: why nothing can be added to it. */
  #check(file: LogFile): void {
    if (this.#isUntrusted) throw new Error('the log of commits could not be written to disk');
    if (!file.isUncut) return;
    this.#system.cut(file.descriptor, file.bytes);
    file.isUncut = false;
  }

  #added(file: LogFile, bytes: number): void {
    this.#last++;
    file.bytes += bytes;
    file.last = this.#last;
  }

  /** Removes what follows the last whole commit of a file. A commit after half a one would look like damage. */
  #cut(file: LogFile): void {
    try {
      this.#system.cut(file.descriptor, file.bytes);
      file.isUncut = false;
    } catch {
      file.isUncut = true;
    }
  }
}
