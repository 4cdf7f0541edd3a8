import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { damaged } from './format.js';
import { isTableWhole } from './leveldb-files/check-table.js';
import { readTableSums, type TableSums } from './table-sums.js';

/** A table file of LevelDB, as the manifest has it. */
export interface TableFile {
  readonly name: string;
  /** Unit: bytes. */
  readonly size: number;
}

/**
 * Checks table files one after the other. A file that an earlier start has checked is compared with the checksum that
 * was noted then, which is about five times as fast as to check its blocks.
 *
 * Returns the checksums of all files, or undefined where each of them was noted already.
 *
 * Errors: StoreError for the first file that is damaged; the system's; the reason of the signal.
 */
export async function checkTables(
  folder: string,
  files: readonly TableFile[],
  signal?: AbortSignal,
): Promise<TableSums | undefined> {
  const noted = await readTableSums(folder);
  const sums = new Map<string, number>();
  let isNew = noted.size !== files.length;
  // The next file is read while the present one is checked.
  let reading = read(folder, files[0]);
  for (const [at, { name, size }] of files.entries()) {
    const bytes = await reading;
    signal?.throwIfAborted();
    reading = read(folder, files[at + 1]);
    // A failure is heard in its turn, or not at all where a file before it is damaged.
    reading.catch(() => {});
    const sum = crc32(bytes);
    if (sum !== noted.get(name)) {
      if (!isTableWhole(bytes)) throw damaged(`the file ${name} is damaged`, folder);
      isNew = true;
    }
    if (bytes.length !== size) throw damaged(`the file ${name} is damaged`, folder);
    sums.set(name, sum);
  }
  return isNew ? sums : undefined;
}

function read(folder: string, file: TableFile | undefined): Promise<Buffer> {
  return file ? readFile(join(folder, file.name)) : Promise.resolve(Buffer.alloc(0));
}
