import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** CRC-32 of whole table files, by name. Table files never change after they are written. */
export type TableSums = ReadonlyMap<string, number>;

/** The checksums of the tables that a start has found whole. LevelDB and older versions of this server ignore it. */
const sumsFile = 'CHECKED';

/**
 * Reads the noted checksums. Returns none where there is no note or it cannot be read: a note that is missing or
 * damaged costs time and nothing else, since a file that does not match it is checked block by block.
 */
export async function readTableSums(folder: string): Promise<TableSums> {
  const text = await readFile(join(folder, sumsFile), 'utf8').catch(() => '');
  const lines = text.matchAll(/^([0-9a-f]{8}) (\d+\.(?:ldb|sst))$/gm);
  return new Map([...lines].map(([, sum = '', name = '']) => [name, Number.parseInt(sum, 16)]));
}

/** Notes the checksums of the tables that are whole. Errors: the system's. */
export async function writeTableSums(folder: string, sums: TableSums): Promise<void> {
  const lines = [...sums].map(([name, sum]) => `${sum.toString(16).padStart(8, '0')} ${name}\n`);
  const path = join(folder, sumsFile);
  await writeFile(`${path}.tmp`, lines.join(''));
  await rename(`${path}.tmp`, path);
}
