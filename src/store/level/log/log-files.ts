import { closeSync, fdatasync, ftruncateSync, openSync, statSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { removeFile } from '../../../change-file.js';
import { syncFolder } from '../../folder/make-folder.js';

/** The file functions of the log. Tests replace them, to fail and to lose unsynced writes. Errors: those of the file system. */
export interface LogFiles {
  /** Creates a file, or empties it. Returns its descriptor. */
  create(path: string): number;
  /** Opens an existing file. Returns its descriptor. */
  open(path: string): number;
  /** Returns the size of a file; undefined if it is missing. Unit: bytes. */
  sizeOf(path: string): number | undefined;
  /** Deletes a file, if it exists. */
  remove(path: string): Promise<void>;
  /** Syncs the names in a folder. */
  syncFolder(path: string): Promise<void>;
  /** Writes bytes at a position, into the buffers of the operating system. Blocks the event loop. */
  write(descriptor: number, bytes: Buffer, position: number): void;
  /** Like `write`, in a thread of its own. */
  writeLater(descriptor: number, bytes: Buffer, position: number): Promise<void>;
  sync(descriptor: number): Promise<void>;
  cut(descriptor: number, bytes: number): void;
  close(descriptor: number): void;
}

const syncDescriptor = promisify(fdatasync);

/** The log on the file system. */
export const systemFiles: LogFiles = {
  create: (path) => openSync(path, 'w'),
  open: (path) => openSync(path, 'r+'),
  sizeOf: (path) => statSync(path, { throwIfNoEntry: false })?.size,
  remove: removeFile,
  syncFolder,
  write(descriptor, bytes, position) {
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(descriptor, bytes, at, bytes.length - at, position + at);
    }
  },
  async writeLater(descriptor, bytes, position) {
    for (let at = 0; at < bytes.length; ) {
      at += await new Promise<number>((resolve, reject) => {
        write(descriptor, bytes, at, bytes.length - at, position + at, (error, written) =>
          error ? reject(error) : resolve(written),
        );
      });
    }
  },
  sync: (descriptor) => syncDescriptor(descriptor),
  cut: ftruncateSync,
  close: closeSync,
};

/** Returns a handler that rethrows an error with the path of its file: Node.js names none if a descriptor fails. */
export function failIn(path: string): (error: Error & { readonly code?: string }) => never {
  return ({ message, code }) => {
    throw Object.assign(new Error(`${message} '${path}'`), { code });
  };
}
