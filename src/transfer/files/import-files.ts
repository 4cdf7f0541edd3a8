import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { checkTableName, lowerAscii } from '../../protocol/names.js';
import { StateFault } from '../../state/state-fault.js';
import type { TransferFormat } from '../contract.js';
import type { ImportSource } from '../transfer.js';

/** A file to import. */
export interface ImportFile {
  readonly path: string;
  readonly format: TransferFormat;
  /** The table of its rows if it names none: the file's name up to the first dot, without the characters that tables cannot have. */
  readonly defaultTable?: string;
}

const formatOfEnding: ReadonlyMap<string, TransferFormat> = new Map([
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
  ['.json', 'json'],
  ['.csv', 'csv'],
  ['.tsv', 'csv'],
]);

const importEndings: readonly string[] = [...formatOfEnding.keys()];

/**
 * Returns the file at a path, or all files with a known ending in a folder, sorted by name. `format` overrides the ending of
 * a single file. Errors: StateFault if there is nothing to import.
 */
export async function findImportFiles(path: string, format?: TransferFormat): Promise<readonly ImportFile[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new StateFault('missing', `No such file or folder: ${path}.`);
  if (!found.isDirectory()) {
    const file = fileAt(path, format);
    if (file) return [file];
    throw new StateFault('invalid', `Unknown format: ${path}. The name must end in ${endings()}.`);
  }
  const names = (await readdir(path, { withFileTypes: true })).filter((entry) => entry.isFile());
  const files = names.flatMap(({ name }) => fileAt(join(path, name), undefined) ?? []);
  if (files.length === 0)
    throw new StateFault('missing', `The folder ${path} contains no file that ends in ${endings()}.`);
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the source for an import of a file. */
export function sourceOf({ path, ...file }: ImportFile): ImportSource {
  return { ...file, file: path, open: () => createReadStream(path) };
}

/** Returns the format for the ending of a file name, if it is known. */
export function formatOfFile(path: string): TransferFormat | undefined {
  return formatOfEnding.get(lowerAscii(extname(path)));
}

function fileAt(path: string, format: TransferFormat | undefined): ImportFile | undefined {
  const chosen = format ?? formatOfFile(path);
  const table = plainNameOf(path).replace(/^[^a-z]+|[^a-z0-9]/gi, '');
  return chosen && { path, format: chosen, ...(checkTableName(table) === undefined && { defaultTable: table }) };
}

/** Returns the name of a file up to its first dot. */
export function plainNameOf(path: string): string {
  return basename(path).split('.', 1)[0] ?? '';
}

/** Lists the endings of importable files in words. */
export function endings(): string {
  return `${importEndings.slice(0, -1).join(', ')} or ${importEndings.at(-1)}`;
}
