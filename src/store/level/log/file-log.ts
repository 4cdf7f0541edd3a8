import { join } from 'node:path';
import { StoreError } from '../../store-error.js';
import type { RecordChange } from '../engine/engine.js';
import { encodeFrame, frameBytesMax } from './commit-frame.js';
import type { CommitLog } from './commit-log.js';
import { failIn, type LogFiles, systemFiles } from './log-files.js';
import type { StoredLog } from './read-segments.js';
import { encodeSegmentHeader, segmentHeaderBytes, segmentName } from './segment-header.js';

/** The size of a segment that triggers a checkpoint. Unit: bytes. (Our choice: the checkpoint then writes a whole table file.) */
const largeBytes = 16 * 1024 * 1024;

/** Commits wait at this number of large segments. (Our choice: a start then reads 64 MiB in about a second.) */
const segmentsMax = 4;

/** Longer commits are written in a thread. Unit: UTF-16 code units. (Our choice: they would block the event loop.) */
const quickUnitsMax = 256 * 1024;

/** A slower write has delayed every request. Unit: milliseconds. (Our choice.) */
const slowMs = 20;

/** After a slow write, commits are written in a thread for this time. Unit: milliseconds. (Our choice.) */
const restMs = 10_000;

/** The maximum size of the reused buffer. Unit: bytes. (Our choice: enough for all quick commits.) */
const bufferBytesMax = 1024 * 1024;

/** The time between two checks for another writing process. Unit: milliseconds. (Our choice.) */
const lookMs = 100;

/** Options of a log in files. */
export interface FileLogOptions {
  readonly files?: LogFiles;
  /** The size of a large segment. Unit: bytes. */
  readonly fileBytes?: number;
  /** Returns a monotonic time. Unit: milliseconds. */
  readonly now?: () => number;
}

interface Segment {
  readonly path: string;
  readonly descriptor: number;
  /** The position of the next commit. */
  bytes: number;
  last: number;
  /** The end of the synced part. Unit: bytes. */
  syncedBytes: number;
  /** The size of an older file at the start; undefined if this log has begun the segment. Unit: bytes. */
  readonly initialBytes: number | undefined;
}

/** Keeps commits in files, its segments. A write takes a microsecond, within one turn; a write to LevelDB takes two thread switches. */
export class FileLog implements CommitLog {
  readonly #folder: string;
  readonly #system: LogFiles;
  readonly #fileBytes: number;
  readonly #now: () => number;
  /** Oldest first. The last one takes commits. */
  #segments: Segment[] = [];
  #number: number;
  #last: number;
  /** The number of the last synced commit. */
  #synced: number;
  /** The number of the last commit that LevelDB has proved. */
  #proved: number;
  /** Whether the names of all segments are on disk. */
  #isNamed = false;
  #isStarted = false;
  /** The commit in progress in a thread. */
  #appending: Promise<void> | undefined;
  #isUntrusted = false;
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #restsUntil = 0;
  /** The error once another process writes to the log. */
  #stranger: StoreError | undefined;
  #looksAt = 0;
  /** The path of the last segment that this log tried to begin. */
  #begun = '';

  private constructor(folder: string, { last, proved, files: segments }: StoredLog, options: FileLogOptions) {
    const { files = systemFiles, fileBytes = largeBytes, now = () => performance.now() } = options;
    this.#folder = folder;
    this.#system = files;
    this.#fileBytes = fileBytes;
    this.#now = now;
    this.#last = last;
    this.#synced = last;
    this.#proved = proved;
    this.#number = segments.at(-1)?.number ?? 0;
  }

  /**
   * Opens the log of a folder. Syncs all its commits, which may then be replayed. Accepts commits after `start`. Errors: those of the file
   * system.
   */
  static async open(folder: string, content: StoredLog, options: FileLogOptions = {}): Promise<FileLog> {
    const log = new FileLog(folder, content, options);
    try {
      for (const { name, bytes, last } of content.files) {
        const path = join(folder, name);
        log.#add({ path, descriptor: log.#system.open(path), bytes, last, initialBytes: bytes });
      }
      for (const name of content.leftovers) await log.#system.remove(join(folder, name));
      await log.sync();
    } catch (error) {
      log.close();
      throw error;
    }
    return log;
  }

  /** Continues after a commit that LevelDB has proved and the log lacks. Must be called before `start`. */
  skip(last: number): void {
    this.#last = last;
    this.#synced = last;
    this.#proved = last;
  }

  /** Begins a segment and syncs it. Errors: those of the file system. */
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
    // An empty file is a stray one: a log writes the header of a new segment at once.
    let isShared = next !== this.#begun && (this.#system.sizeOf(next) ?? 0) > 0;
    for (const { path, initialBytes } of this.#segments) {
      const bytes = this.#system.sizeOf(path);
      if (bytes === undefined) {
        this.#looksAt = 0;
        throw new StoreError(
          'no-access',
          `The file ${path} is missing.`,
          'Put it back, if its folder was moved, or stop the server.',
        );
      }
      isShared ||= initialBytes !== undefined && initialBytes !== bytes;
    }
    if (!isShared) return;
    this.#stranger = new StoreError(
      'in-use',
      `Another process writes to ${this.#folder}, too, and its file system has no locks.`,
      'Stop both. Writes acknowledged since then may be missing after the next start. Keep the data on a disk of this machine.',
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
        // After the sync, because another one must not end earlier.
        this.#isNamed = newest === this.#number;
      }
    } catch (error) {
      // The system may have marked unwritten pages as clean.
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

  /** Adds an empty frame: it proves to a later start that everything was on disk, so that a fault is damage. */
  close(): void {
    try {
      if (this.#isStarted && !this.#isUntrusted) this.append([]);
    } catch {
      // The frame is optional.
    }
    this.#isStarted = false;
    // Removed first, because another file may get their descriptors.
    for (const { descriptor } of this.#segments.splice(0)) this.#system.close(descriptor);
  }

  /** Begins a segment, without a sync. Errors: those of the file system. */
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
    return this.#add({ path, descriptor, bytes: header.length, last: this.#last, initialBytes: undefined });
  }

  #add(opened: Omit<Segment, 'syncedBytes'>): Segment {
    const segment = { ...opened, syncedBytes: 0 };
    this.#segments.push(segment);
    return segment;
  }

  /** Returns the bytes of a commit, valid until the next call. Errors: those of `checkAlone`; an Error if the log is untrusted. */
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

  /** Truncates a segment after its last whole commit, or distrusts the log: a commit after half a one would look like damage. */
  #cut(segment: Segment): void {
    try {
      this.#system.cut(segment.descriptor, segment.bytes);
    } catch {
      this.#isUntrusted = true;
    }
  }
}
