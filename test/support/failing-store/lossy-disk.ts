import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LogFiles, systemFiles } from '../../../src/store/level/log/log-files.js';
import { dataFolder } from '../../../src/store/level/open-folder.js';

/** What a disk has of a file. */
interface DiskFile {
  readonly path: string;
  /** Unit: bytes. */
  length: number;
  /** How much of it is on disk. Unit: bytes. */
  synced: number;
  /** Whether a sync has failed, after which nothing more of it reaches the disk. */
  isLost?: boolean;
  /** Whether the disk has its name. */
  isNamed: boolean;
  /** What it had when it was deleted. */
  deleted?: Buffer;
}

/** The files of the log on a disk that keeps only what was synced. */
export class LossyDisk implements LogFiles {
  readonly #lies: boolean;
  /** Decides whether the next sync of a file fails. */
  fails: (path: string) => boolean = () => false;
  readonly #open = new Map<number, DiskFile>();
  #files: DiskFile[] = [];

  /** A disk that lies says that it has synced what it has not. */
  constructor(lies: boolean) {
    this.#lies = lies;
  }

  create(path: string): number {
    const descriptor = systemFiles.create(path);
    const file = { path, length: 0, synced: 0, isNamed: false };
    // What could not be begun is begun again.
    this.#files = this.#files.filter((one) => one.path !== path || one.deleted);
    this.#open.set(descriptor, file);
    this.#files.push(file);
    return descriptor;
  }

  open(path: string): number {
    const descriptor = systemFiles.open(path);
    const file = { path, length: statSync(path).size, synced: 0, isNamed: true };
    this.#open.set(descriptor, file);
    this.#files.push(file);
    return descriptor;
  }

  sizeOf(path: string): number | undefined {
    return systemFiles.sizeOf(path);
  }

  write(descriptor: number, bytes: Buffer, position: number): void {
    systemFiles.write(descriptor, bytes, position);
    this.#wrote(descriptor, position + bytes.length);
  }

  async writeLater(descriptor: number, bytes: Buffer, position: number): Promise<void> {
    await systemFiles.writeLater(descriptor, bytes, position);
    this.#wrote(descriptor, position + bytes.length);
  }

  async sync(descriptor: number): Promise<void> {
    const file = this.#file(descriptor);
    const { length } = file;
    await new Promise((resolve) => setImmediate(resolve));
    if (this.fails(file.path)) {
      // The system has marked the pages as clean, and never writes them.
      file.isLost = true;
      throw new Error('EIO: i/o error, fdatasync');
    }
    if (!this.#lies && !file.isLost) file.synced = Math.max(file.synced, Math.min(length, file.length));
  }

  async syncFolder(): Promise<void> {
    const files = [...this.#files];
    await new Promise((resolve) => setImmediate(resolve));
    for (const file of files) file.isNamed = true;
    this.#files = this.#files.filter((file) => !files.includes(file) || !file.deleted);
  }

  cut(descriptor: number, bytes: number): void {
    systemFiles.cut(descriptor, bytes);
    const file = this.#file(descriptor);
    file.length = bytes;
    file.synced = Math.min(file.synced, bytes);
  }

  close(descriptor: number): void {
    systemFiles.close(descriptor);
    this.#open.delete(descriptor);
  }

  async remove(path: string): Promise<void> {
    const file = this.#files.find((one) => one.path === path && !one.deleted);
    if (file) file.deleted = readFileSync(path);
    await systemFiles.remove(path);
  }

  /** Loses some of what was not synced, in a copy of the folder: ends of files, their names, and that some were deleted. */
  lose(copy: string, random: () => number): void {
    const files = new Map(this.#files.map((file) => [file.path, file]));
    // Of the files that had the same name, the last one.
    for (const { path, length, synced, isNamed, deleted } of files.values()) {
      const name = join(copy, path.slice(path.lastIndexOf('COMMITS')));
      if (deleted && random() < 0.5) continue;
      const content = (deleted ?? readFileSync(name)).subarray(0, length);
      if (!isNamed && random() < 0.5) {
        rmSync(name, { force: true });
        continue;
      }
      const kept = synced + Math.floor(random() * random() * (length - synced + 1));
      const zeros = random() < 0.5 ? 0 : length - kept;
      const bytes = Buffer.concat([content.subarray(0, kept), Buffer.alloc(zeros)]);
      // Or the system wrote later blocks first.
      if (zeros > 0 && random() < 0.5) {
        for (let at = kept; at < length; at += 512) if (random() < 0.5) content.copy(bytes, at, at, at + 512);
      }
      writeFileSync(name, bytes);
    }
  }

  #wrote(descriptor: number, end: number): void {
    const file = this.#file(descriptor);
    file.length = Math.max(file.length, end);
  }

  #file(descriptor: number): DiskFile {
    const file = this.#open.get(descriptor);
    if (!file) throw new Error('the file is not open');
    return file;
  }
}

/** Returns the names of the logs of LevelDB in a location. */
export function levelLogs(folder: string): readonly string[] {
  return readdirSync(join(folder, dataFolder)).filter((name) => /^\d+\.log$/.test(name));
}

/** Loses what a file has after a position: its end, or blocks. */
export function damage(path: string, from: number, random: () => number): void {
  const bytes = readFileSync(path);
  if (from >= bytes.length || random() < 0.2) return;
  if (random() < 0.5) {
    writeFileSync(path, bytes.subarray(0, from + Math.floor(random() * (bytes.length - from))));
    return;
  }
  for (let at = Math.ceil(from / 512) * 512; at < bytes.length; at += 512) {
    if (random() < 0.1) bytes.fill(0, at, Math.min(at + 512, bytes.length));
  }
  writeFileSync(path, bytes);
}
