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
  // The next file is read while the current one is checked, each into one of two buffers. A buffer for each file would
  // leave tens of megabytes of garbage.
  const largest = files.reduce((most, { size }) => Math.max(most, size), 0);
  const buffers = [Buffer.allocUnsafe(largest), Buffer.allocUnsafe(largest)] as const;
  let reading = read(folder, files[0], buffers[0]);
  for (const [at, { name, size }] of files.entries()) {
    const bytes = await reading;
    signal?.throwIfAborted();
    reading = read(folder, files[at + 1], buffers[at % 2 === 0 ? 1 : 0]);
    // An error is thrown when it is the turn of this file, and not at all if an earlier file is damaged.
    reading.catch(() => {});
    const checksum = crc32(bytes);
    if (checksum !== known.get(name)) {
      if (!isTableFileValid(bytes)) throw damaged(`the file ${name} is damaged`, folder);
      hasNew = true;
    }
    if (bytes.length !== size) throw damaged(`the file ${name} is damaged`, folder);
    checksums.set(name, checksum);
  }
  return hasNew ? checksums : undefined;
}

/** Reads a file into a buffer, or into one of its own if it is larger than expected. */
async function read(folder: string, file: TableFile | undefined, buffer: Buffer): Promise<Buffer> {
  if (!file) return Buffer.alloc(0);
  const handle = await open(join(folder, file.name));
  try {
    const { size } = await handle.stat();
    const bytes = size <= buffer.length ? buffer.subarray(0, size) : Buffer.allocUnsafe(size);
    let end = 0;
    while (end < size) {
      const { bytesRead } = await handle.read(bytes, end, size - end, end);
      if (bytesRead === 0) break;
      end += bytesRead;
    }
    return bytes.subarray(0, end);
  } finally {
    await handle.close();
  }
}
