import { join } from 'node:path';
import { StoreError } from '../../store-error.js';
import type { RecordChange } from '../engine/engine.js';
import { encodeFrame, frameBytesMax } from './commit-frame.js';
import type { CommitLog } from './commit-log.js';
import { failIn, type LogFiles, systemFiles } from './log-files.js';
import type { FoundLog } from './read-segments.js';
import { encodeSegmentHeader, segmentHeaderBytes, segmentName } from './segment-header.js';

/** From this size of a segment on, LevelDB should prove its commits. Unit: bytes. (Our choice: a checkpoint then writes a whole table file.) */
const largeBytes = 16 * 1024 * 1024;

/** From this number of large segments on, commits wait. A start then reads 64 MiB in about a second. (Our choice.) */
const segmentsMax = 4;

/** The longest strings that are written at once. Unit: UTF-16 code units. (Our choice: more would block the event loop.) */
const quickUnitsMax = 256 * 1024;

/** A write that takes longer has held up every request. Unit: milliseconds. (Our choice.) */
const slowMs = 20;

/** How long commits are written in a thread of their own after a slow write. Unit: milliseconds. (Our choice.) */
const restMs = 10_000;

/** The most that a commit can take which is encoded in memory that is kept for the next one. Unit: bytes. (Our choice: all that are quick.) */
const bufferBytesMax = 1024 * 1024;

/** How often a log looks whether another process writes to it. Unit: milliseconds. (Our choice.) */
const lookMs = 100;

/** Options of a log in files. */
export interface FileLogOptions {
  readonly files?: LogFiles;
  /** The size from which on a segment is large. Unit: bytes. */
  readonly fileBytes?: number;
  /** Returns the time. Unit: milliseconds. */
  readonly now?: () => number;
}

interface Segment {
  readonly path: string;
  readonly descriptor: number;
  /** The position at which the next commit is written. */
  bytes: number;
  last: number;
  /** The end of the part that is on disk. Unit: bytes. */
  syncedBytes: number;
  /** The size of the file when it was found; undefined if this log has begun the segment. Unit: bytes. */
  readonly foundBytes: number | undefined;
}

/**
 * Keeps commits in files, its segments. A commit is written in the turn in which it is made, which takes a microsecond, where a write to
 * LevelDB takes two switches of threads.
 */
export class FileLog implements CommitLog {
  readonly #folder: string;
  readonly #system: LogFiles;
  readonly #fileBytes: number;
  readonly #now: () => number;
  /** Oldest first. The last one takes commits. */
  #segments: Segment[] = [];
  #number: number;
  #last: number;
  /** The number of the last commit that is known to be on disk. */
  #synced: number;
  /** The number of the last commit that LevelDB has proved. */
  #proved: number;
  /** Whether the names of all segments are on disk. */
  #isNamed = false;
  #isStarted = false;
  /** The commit that is being written in a thread of its own. */
  #appending: Promise<void> | undefined;
  #isUntrusted = false;
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #restsUntil = 0;
  /** That another process writes to the log, too. */
  #stranger: StoreError | undefined;
  #looksAt = 0;
  /** The path of the segment that was begun last, or could not be. */
  #begun = '';

  private constructor(folder: string, { last, proved, files: found }: FoundLog, options: FileLogOptions) {
    const { files = systemFiles, fileBytes = largeBytes, now = () => performance.now() } = options;
    this.#folder = folder;
    this.#system = files;
    this.#fileBytes = fileBytes;
    this.#now = now;
    this.#last = last;
    this.#synced = last;
    this.#proved = proved;
    this.#number = found.at(-1)?.number ?? 0;
  }

  /**
   * Opens the log that was found in a folder. When it resolves, all commits in it are on disk, and may be replayed. It takes commits after
   * `start`. Errors: those of the file system.
   */
  static async open(folder: string, found: FoundLog, options: FileLogOptions = {}): Promise<FileLog> {
    const log = new FileLog(folder, found, options);
    try {
      for (const { name, bytes, last } of found.files) {
        const path = join(folder, name);
        log.#add({ path, descriptor: log.#system.open(path), bytes, last, foundBytes: bytes });
      }
      for (const name of found.leftOver) await log.#system.remove(join(folder, name));
      await log.sync();
    } catch (error) {
      log.close();
      throw error;
    }
    return log;
  }

  /** Makes the next commit follow one that LevelDB has proved and the log lacks. Must be called before `start`. */
  skip(last: number): void {
    this.#last = last;
    this.#synced = last;
    this.#proved = last;
  }

  /** Begins a segment, which is on disk when it resolves. Errors: those of the file system. */
  async start(): Promise<void> {
    this.#begin();
    await this.sync();
    this.#isStarted = true;
  }

  get last(): number {
    return this.#last;
  }

  get bytes(): number {
    let sum = 0;
    for (const { bytes } of this.#segments) sum += bytes;
    return sum;
  }

  get isLarge(): boolean {
    return this.#active.bytes >= this.#fileBytes || (this.#segments.length > 1 && this.bytes >= this.#fileBytes);
  }

  get isFull(): boolean {
    return this.bytes >= segmentsMax * this.#fileBytes;
  }

  get isUntrusted(): boolean {
    return this.#isUntrusted;
  }

  get #active(): Segment {
    return this.#segments[this.#segments.length - 1] as Segment;
  }

  checkAlone(): void {
    if (this.#stranger) throw this.#stranger;
    const now = this.#now();
    if (now < this.#looksAt) return;
    this.#looksAt = now + lookMs;
    const next = join(this.#folder, segmentName(this.#number + 1));
    // An empty file is a stray one: what begins a segment writes its header at once.
    let isShared = next !== this.#begun && (this.#system.sizeOf(next) ?? 0) > 0;
    for (const { path, foundBytes } of this.#segments) {
      const bytes = this.#system.sizeOf(path);
      if (bytes === undefined) {
        this.#looksAt = 0;
        throw new StoreError(
          'no-access',
          `The file ${path} is missing.`,
          'Put it back, if its folder was moved, or stop the server.',
        );
      }
      isShared ||= foundBytes !== undefined && foundBytes !== bytes;
    }
    if (!isShared) return;
    this.#stranger = new StoreError(
      'in-use',
      `Another process writes to ${this.#folder}, too, and its file system has no locks.`,
      'Stop both. What either has acknowledged since then may be missing after the next start. Keep the data on a disk of this machine.',
    );
    throw this.#stranger;
  }

  isQuick(changes: readonly RecordChange[]): boolean {
    if (this.#restsUntil > 0 && this.#now() < this.#restsUntil) return false;
    let units = 0;
    for (const { key, value } of changes) units += key.length + (value?.length ?? 0);
    return units <= quickUnitsMax;
  }

  append(changes: readonly RecordChange[]): void {
    const segment = this.#active;
    const bytes = this.#encode(changes);
    const begun = this.#now();
    try {
      this.#system.write(segment.descriptor, bytes, segment.bytes);
    } catch (error) {
      this.#cut(segment);
      throw error;
    }
    this.#added(segment, bytes.length);
    const ended = this.#now();
    if (ended - begun > slowMs) this.#restsUntil = ended + restMs;
  }

  async appendLater(changes: readonly RecordChange[]): Promise<void> {
    const segment = this.#active;
    const bytes = this.#encode(changes);
    try {
      this.#appending = this.#system.writeLater(segment.descriptor, bytes, segment.bytes);
      await this.#appending;
    } catch (error) {
      this.#cut(segment);
      throw error;
    } finally {
      this.#appending = undefined;
    }
    this.#added(segment, bytes.length);
  }

  async sync(): Promise<void> {
    const last = this.#last;
    try {
      for (const segment of [...this.#segments]) {
        const { bytes, syncedBytes } = segment;
        if (syncedBytes === bytes) continue;
        await this.#system.sync(segment.descriptor).catch(failIn(segment.path));
        segment.syncedBytes = Math.max(segment.syncedBytes, bytes);
      }
      if (!this.#isNamed) {
        const newest = this.#number;
        await this.#system.syncFolder(this.#folder);
        // Not before: another sync must not end earlier.
        this.#isNamed = newest === this.#number;
      }
    } catch (error) {
      // The system may have marked pages as clean that it could not write.
      this.#isUntrusted = true;
      this.#isNamed = false;
      throw error;
    }
    this.#synced = Math.max(this.#synced, last);
  }

  async cancel(last: number): Promise<void> {
    if (this.#last <= last) return;
    this.#last = last;
    for (const segment of this.#segments) segment.last = Math.min(segment.last, last);
    const { descriptor } = this.#begin();
    await this.#system.sync(descriptor);
    await this.#system.syncFolder(this.#folder);
  }

  async turn(): Promise<void> {
    while (this.#appending) await this.#appending.catch(() => {});
    if (this.#active.bytes > segmentHeaderBytes) this.#begin();
  }

  async release(last: number): Promise<void> {
    this.#proved = Math.max(this.#proved, last);
    const free = this.#segments.filter((segment) => segment !== this.#active && segment.last <= last);
    this.#segments = this.#segments.filter((segment) => !free.includes(segment));
    for (const { descriptor, path } of free) {
      this.#system.close(descriptor);
      await this.#system.remove(path);
    }
  }

  async restart(): Promise<void> {
    this.#proved = this.#last;
    const { descriptor } = this.#begin();
    await this.#system.sync(descriptor);
    await this.#system.syncFolder(this.#folder);
    await this.release(this.#last);
    this.#isUntrusted = false;
  }

  /** The last frame has no changes. It tells a later start that the disk has had everything, so that a fault is damage. */
  close(): void {
    try {
      if (this.#isStarted && !this.#isUntrusted) this.append([]);
    } catch {
      // Nothing is missing without it.
    }
    this.#isStarted = false;
    // Each once: another file may get their descriptors.
    for (const { descriptor } of this.#segments.splice(0)) this.#system.close(descriptor);
  }

  /** Begins a segment. It is on disk after a sync. Errors: those of the file system. */
  #begin(): Segment {
    this.#looksAt = 0;
    this.checkAlone();
    const number = this.#number + 1;
    const path = join(this.#folder, segmentName(number));
    this.#begun = path;
    const header = encodeSegmentHeader({ number, first: this.#last + 1, proved: this.#proved });
    const descriptor = this.#system.create(path);
    try {
      this.#system.write(descriptor, header, 0);
    } catch (error) {
      this.#system.close(descriptor);
      throw error;
    }
    this.#number = number;
    this.#isNamed = false;
    return this.#add({ path, descriptor, bytes: header.length, last: this.#last, foundBytes: undefined });
  }

  #add(opened: Omit<Segment, 'syncedBytes'>): Segment {
    const segment = { ...opened, syncedBytes: 0 };
    this.#segments.push(segment);
    return segment;
  }

  /** Returns the bytes of a commit, until the next one is encoded. Errors: that the log is not trusted, or not alone. */
  #encode(changes: readonly RecordChange[]): Buffer {
    this.checkAlone();
    if (this.#isUntrusted) throw new Error('the log of commits could not be written to disk');
    const bytesMax = frameBytesMax(changes);
    const buffer = bytesMax <= this.#buffer.length ? this.#buffer : Buffer.allocUnsafe(bytesMax);
    if (bytesMax <= bufferBytesMax) this.#buffer = buffer;
    return buffer.subarray(0, encodeFrame(buffer, { number: this.#last + 1, synced: this.#synced, changes }));
  }

  #added(segment: Segment, bytes: number): void {
    this.#last++;
    segment.bytes += bytes;
    segment.last = this.#last;
  }

  /** Removes what follows the last whole commit of a segment, or lets none follow: one after half a commit would look like damage. */
  #cut(segment: Segment): void {
    try {
      this.#system.cut(segment.descriptor, segment.bytes);
    } catch {
      this.#isUntrusted = true;
    }
  }
}
