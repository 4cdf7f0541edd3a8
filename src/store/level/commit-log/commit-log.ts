import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordChange } from '../engine.js';
import { commitBytesMax, encodeCommit } from './commit-record.js';

/** The files of the log in a data folder. While the engine takes over what is in one, new commits go to the other. */
export const commitLogFiles = ['COMMITS-1', 'COMMITS-2'] as const;

/** From this size of a file on, the engine should take over what is in it. Unit: bytes. Ours: half of LevelDB's own log. */
const fileBytes = 8 * 1024 * 1024;

/** A file that has this size takes no more commits. Unit: bytes. */
const fileBytesMax = 2 * fileBytes;

/** A write that takes longer has held up every request. Unit: milliseconds. Ours. */
const slowMs = 20;

/** How long the log takes no commits after a slow write: the engine writes in a thread of its own. Unit: milliseconds. Ours. */
const restMs = 10_000;

/** Size of the memory in which most commits are put together. Unit: bytes. */
const bufferBytes = 64 * 1024;

interface LogFile {
  readonly descriptor: number;
  /** The position at which the next commit is written. */
  bytes: number;
  /** The number of its last commit. */
  last: number;
  /** Whether it could not be cut, so that something follows its last whole commit. */
  isBroken: boolean;
}

/**
 * Keeps commits in the order in which they are made, in a file that is written at once: a commit takes a microsecond, where a
 * write to LevelDB takes two switches of threads. What is in it survives a kill. The engine gets the changes later, many at a
 * time, and has the number of the last one that it got. After a kill, the next start gives it the others.
 */
export class CommitLog {
  readonly #files: LogFile[];
  #active: LogFile;
  #last: number;
  #buffer = Buffer.allocUnsafe(bufferBytes);
  readonly #now: () => number;
  #restsUntil = 0;

  /**
   * Opens an empty log in a folder. The number of the first commit is the one after `last`. `now` is in milliseconds. Errors: those of
   * the file system.
   */
  constructor(folder: string, last: number, now = () => performance.now()) {
    this.#last = last;
    this.#now = now;
    this.#files = commitLogFiles.map((name) => ({
      descriptor: openSync(join(folder, name), 'w'),
      bytes: 0,
      last,
      isBroken: false,
    }));
    this.#active = this.#files[0] as LogFile;
  }

  /** The number of the last commit. */
  get last(): number {
    return this.#last;
  }

  /** Whether the engine should take over what is in the log. */
  get isLarge(): boolean {
    return this.#active.bytes >= fileBytes;
  }

  /** Whether the log takes no more commits before the engine has taken over what is in it. */
  get isFull(): boolean {
    return this.#files.some(({ isBroken }) => isBroken) || this.#active.bytes >= fileBytesMax;
  }

  /** Whether the log takes no commits for a while, because its disk is slow. */
  get isResting(): boolean {
    return this.#restsUntil > 0 && this.#now() < this.#restsUntil;
  }

  /** Adds a commit. It is in the buffers of the operating system then. Errors: those of the file system; then it is not added. */
  append(changes: readonly RecordChange[]): void {
    const bytesMax = commitBytesMax(changes);
    const buffer = bytesMax <= bufferBytes ? this.#buffer : Buffer.allocUnsafe(bytesMax);
    const number = this.#last + 1;
    const bytes = encodeCommit(buffer, { number, changes });
    const file = this.#active;
    const begun = this.#now();
    try {
      for (let written = 0; written < bytes; ) {
        written += writeSync(file.descriptor, buffer, written, bytes - written, file.bytes + written);
      }
    } catch (error) {
      this.#cut(file);
      throw error;
    }
    file.bytes += bytes;
    file.last = number;
    this.#last = number;
    const ended = this.#now();
    if (ended - begun > slowMs) this.#restsUntil = ended + restMs;
  }

  /** Writes the next commits to the other file, if that is empty. */
  turn(): void {
    const other = this.#files.find((file) => file !== this.#active && file.bytes === 0);
    if (other && !other.isBroken) this.#active = other;
  }

  /** Frees the space of the files with no commit after `last`, which the engine has on disk. */
  release(last: number): void {
    for (const file of this.#files) {
      if ((file.bytes === 0 && !file.isBroken) || file.last > last) continue;
      file.bytes = 0;
      this.#cut(file);
    }
  }

  /** Closes the files. Each once: another file may get their descriptors. */
  close(): void {
    for (const { descriptor } of this.#files.splice(0)) closeSync(descriptor);
  }

  /** Removes what is after the last whole commit of a file. A commit after half a one would look like damage. */
  #cut(file: LogFile): void {
    try {
      ftruncateSync(file.descriptor, file.bytes);
      file.isBroken = false;
    } catch {
      // Nothing is written any more, so what is left is the end of the file. The engine gets the commits from now on.
      file.isBroken = true;
    }
  }
}
