import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { damaged } from '../explain-failure.js';
import { isTableFileValid } from './leveldb/check-table-file.js';
import { readTableChecksums, type TableChecksums } from './table-checksums.js';

/** A sorted table file of LevelDB, as the manifest lists it. */
export interface TableFile {
  readonly name: string;
  /** Unit: bytes. */
  readonly size: number;
}

/**
 * Checks table files in order. If an earlier start has written the checksum of a file, only that is compared. This is
 * about five times as fast as checking the blocks of the file.
 *
 * Returns the checksums of all files, or undefined if all of them were already written.
 *
 * Errors: StoreError for the first damaged file; errors of the file system; the reason of the signal.
 */
export async function checkTableFiles(
  folder: string,
  files: readonly TableFile[],
  signal?: AbortSignal,
): Promise<TableChecksums | undefined> {
  const known = await readTableChecksums(folder);
  const checksums = new Map<string, number>();
  let hasNew = known.size !== files.length;
  // One for all: a buffer for each file would leave tens of megabytes of garbage.
  const buffer = Buffer.allocUnsafe(files.reduce((most, { size }) => Math.max(most, size), 0));
  for (const { name, size } of files) {
    const bytes = await read(join(folder, name), buffer.subarray(0, size));
    signal?.throwIfAborted();
    const checksum = crc32(bytes);
    const isKnown = checksum === known.get(name);
    if (bytes.length !== size || !(isKnown || isTableFileValid(bytes)))
      throw damaged(`the file ${name} is damaged`, folder);
    hasNew ||= !isKnown;
    checksums.set(name, checksum);
  }
  return hasNew ? checksums : undefined;
}

/** Reads a file into a buffer. Returns the part that it fills. */
async function read(path: string, buffer: Buffer): Promise<Buffer> {
  const file = await open(path);
  try {
    let end = 0;
    for (let bytesRead = 1; bytesRead > 0 && end < buffer.length; end += bytesRead) {
      ({ bytesRead } = await file.read(buffer, end));
    }
    return buffer.subarray(0, end);
  } finally {
    await file.close();
  }
}
