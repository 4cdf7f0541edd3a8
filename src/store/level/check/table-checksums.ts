import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renameFile } from '../../../change-file.js';

/** The CRC-32 of whole sorted table files, by name. LevelDB never changes a table file after it has written it. */
export type TableChecksums = ReadonlyMap<string, number>;

/** The file with the checksums of the table files that a start has found valid. LevelDB ignores it. */
const checksumFile = 'CHECKED';

/**
 * Reads the checksums that an earlier start has written. Returns none if the file is missing or cannot be read. That only
 * costs time, because a table file whose checksum does not match is checked block by block.
 */
export async function readTableChecksums(folder: string): Promise<TableChecksums> {
  const text = await readFile(join(folder, checksumFile), 'utf8').catch(() => '');
  const lines = text.matchAll(/^([0-9a-f]{8}) (\d+\.(?:ldb|sst))$/gm);
  return new Map([...lines].map(([, checksum = '', name = '']) => [name, Number.parseInt(checksum, 16)]));
}

/** Writes the checksums of table files that are valid. Errors: those of the file system. */
export async function writeTableChecksums(folder: string, checksums: TableChecksums): Promise<void> {
  const lines = [...checksums].map(([name, checksum]) => `${checksum.toString(16).padStart(8, '0')} ${name}\n`);
  const path = join(folder, checksumFile);
  await writeFile(`${path}.tmp`, lines.join(''));
  await renameFile(`${path}.tmp`, path);
}
