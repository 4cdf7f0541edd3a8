import { hash, randomBytes } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { access, constants, type FileHandle, mkdir, open, readdir, realpath, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { removeFile, renameFile, unlinkFile } from '../../change-file.js';
import { lowerAscii } from '../../protocol/names.js';
import { StateFault } from '../../state/state-fault.js';
import type { ExportWish, TransferFormat } from '../contract.js';
import { decodeText, readLines } from '../read-lines.js';
import { isTableHeader, readTableHeader, type TableHeader, TableHeaderFault } from '../table-header.js';
import type { Transfer } from '../transfer.js';
import { endings, formatOfFile } from './import-files.js';

/** The start of an export in each format. */
const beginnings: Readonly<Record<TransferFormat, RegExp>> = {
  ndjson: /^$|^\{"\$table":/,
  json: /^\{"tables":/,
  csv: /^PartitionKey,RowKey/,
};

/** Number of bytes read to recognize an export. */
const beginningBytes = 64;

/** Longest line of an export. Unit: UTF-16 code units. (Our choice: JSON takes up to six for each byte of an entity of 2 MiB.) */
const lineUnitsMax = 16 * 1024 * 1024;

/** The ending of files in a folder export, which is always NDJSON. */
const folderEnding = '.ndjson';

/**
 * Writes an export to a file or, if the name has no ending of a format, to a folder with one file per table. Writes aside, flushes
 * and then renames, so a failed export leaves an older one intact.
 *
 * Errors: StateFault if the path has something that is not an export; a system error.
 */
export async function writeExport(
  asked: string,
  format: TransferFormat,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const path = await placeOf(asked);
  const isFolder = await checkExportPath(path, format);
  const aside = asideOf(path, 'new');
  try {
    if (isFolder) await writeFolder(aside, bytes);
    else await writeFile(aside, Readable.from(bytes));
    await (isFolder ? replaceFolder(path, aside) : renameFile(aside, path));
    await flushFolder(dirname(path));
  } catch (error) {
    await removeFile(aside);
    throw error;
  }
}

/** Rejects a dash, and a new path with an unknown extension: nobody who exports to `people.txt` wants a folder. Errors: StateFault. */
export function checkExportName(path: string): void {
  const isUnknown = path === '-' || (formatOfFile(path) === undefined && /^\.[a-z]/i.test(extname(path)));
  if (!isUnknown || /[/\\]$/.test(path) || existsSync(path)) return;
  throw new StateFault(
    'invalid',
    `Unknown format: ${path}. The name must end in ${endings()}, or in a slash for a folder.`,
  );
}

/** Returns whether an export to a path creates a folder. Errors: StateFault if it cannot be written there. */
export async function checkExportPath(asked: string, format: TransferFormat): Promise<boolean> {
  const path = await placeOf(asked);
  const isFolder = formatOfFile(path) === undefined && !(await isFile(path));
  if (isFolder && format !== 'ndjson') {
    throw new StateFault('invalid', `A folder export is always NDJSON, not ${format}. Name a file instead.`);
  }
  await (isFolder ? checkFolder(path) : checkFile(path, format));
  await access(dirname(path), constants.W_OK).catch(() => {
    throw new StateFault('invalid', `${dirname(path)} is not a writable folder. Choose another path.`);
  });
  return isFolder;
}

/** Exports to a path, in the format of the wish or of the name's ending. Errors: as `writeExport`; those of the export. */
export async function exportToPath(transfer: Transfer, path: string, wish: ExportWish = {}): Promise<void> {
  const format = wish.format ?? formatOfFile(path) ?? 'ndjson';
  await writeExport(path, format, await transfer.export({ ...wish, format }));
}

/** Returns the older export that an interrupted replacement left beside a path, if the path is now missing. */
export async function findReplaced(asked: string): Promise<string | undefined> {
  const path = resolve(asked);
  if (await stat(path).catch(() => undefined)) return undefined;
  const names = await readdir(dirname(path)).catch(() => []);
  const found = names.find((name) => name.startsWith(`${basename(path)}.old-`));
  return found === undefined ? undefined : join(dirname(path), found);
}

/**
 * Returns the absolute path to replace. Follows a link, so that the link stays, and drops a final slash, which would put the
 * temporary export into the folder.
 */
async function placeOf(asked: string): Promise<string> {
  return realpath(asked).catch(() => resolve(asked));
}

function asideOf(path: string, purpose: 'new' | 'old'): string {
  return `${path}.${purpose}-${randomBytes(4).toString('hex')}`;
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

async function checkFile(path: string, format: TransferFormat): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found && !(found.isFile() && (await beginsAs(path, format)))) throw notOurs(path);
}

/** Checks that a folder contains only exports and can be replaced, or does not exist. */
async function checkFolder(path: string): Promise<void> {
  const [found, parent] = await Promise.all([path, dirname(path)].map((one) => stat(one).catch(() => undefined)));
  if (!found) return;
  if (!found.isDirectory()) throw notOurs(path);
  // Such as the volume of a container, which can be neither renamed nor removed.
  if (parent && parent.dev !== found.dev) {
    const hint = 'It cannot be replaced. Name a folder or a file inside it.';
    throw new StateFault('invalid', `${path} is a mount point. ${hint}`);
  }
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const file = join(path, entry.name);
    const isOurs = entry.isFile() && entry.name.endsWith(folderEnding) && (await beginsAs(file, 'ndjson'));
    if (!isOurs) throw notOurs(file);
  }
}

async function beginsAs(path: string, format: TransferFormat): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(beginningBytes) });
    return beginnings[format].test(buffer.toString('latin1', 0, bytesRead));
  } finally {
    await file.close();
  }
}

function notOurs(path: string): StateFault {
  return new StateFault('invalid', `${path} exists and is not an export. Nothing was written. Choose another path.`);
}

async function writeFile(path: string, text: Readable): Promise<void> {
  await pipeline(text, createWriteStream(path, { flags: 'wx', flush: true }));
}

/** Writes NDJSON into a new folder, one file per table. Errors: StateFault for anything that would be lost. */
async function writeFolder(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await mkdir(path);
  const names = new TableFileNames();
  let file: FileHandle | undefined;
  const end = async () => {
    await file?.sync();
    await file?.close();
    file = undefined;
  };
  try {
    for await (const part of readLines(decodeText(bytes), lineUnitsMax)) {
      let begun = '';
      for (const { number, text } of part) {
        if (text === undefined) throw wrongLine(number, `is longer than ${lineUnitsMax} characters`);
        if (isTableHeader(text)) {
          await file?.appendFile(begun);
          begun = '';
          await end();
          file = await open(join(path, `${names.next(headerIn(text, number))}${folderEnding}`), 'wx');
        } else if (!file) throw wrongLine(number, 'belongs to no table');
        begun += `${text}\n`;
      }
      await file?.appendFile(begun);
    }
    await end();
  } finally {
    await file?.close();
  }
  await flushFolder(path);
}

/** Reads the line that names a table. Errors: StateFault. */
function headerIn(text: string, line: number): TableHeader {
  try {
    return readTableHeader(text);
  } catch (error) {
    throw error instanceof TableHeaderFault ? wrongLine(line, `is wrong. ${error.message.replace(/\.$/, '')}`) : error;
  }
}

function wrongLine(line: number, fault: string): StateFault {
  return new StateFault('invalid', `Line ${line} of the export ${fault}. Nothing was written.`);
}

/** Replaces an older export with a folder. */
async function replaceFolder(path: string, aside: string): Promise<void> {
  if (!(await stat(path).catch(() => undefined))) return renameFile(aside, path);
  const old = asideOf(path, 'old');
  await renameFile(path, old);
  try {
    await renameFile(aside, path);
  } catch (error) {
    await renameFile(old, path);
    throw error;
  }
  for (const name of await readdir(old)) {
    if (name.endsWith(folderEnding)) await unlinkFile(join(old, name));
  }
  // Fails if another program has put a file there meanwhile. Then the folder stays, with that file.
  await rmdir(old).catch(() => {});
}

/** Flushes the names in a folder. Windows cannot open folders, and flushes by itself. */
async function flushFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Longest name of a table in a file name. Unit: characters. (Our choice: every storage account's table has its own name.) */
const plainMax = 96;

/** How much of a longer or unusual name is kept. Unit: characters. */
const shownMax = 40;

/** Length of the hash that distinguishes shortened names. Unit: hexadecimal digits. */
const hashDigits = 12;

/** Names that any file system accepts unchanged. */
const plain = /^[a-z0-9][\w-]*(?:\.[a-z0-9][\w-]*)?$/i;

/** Names of devices, with or without an ending. Source: Windows, Naming Files. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Names the files of an export's tables: short, legal on every system, and different even where letter case does not count. A
 * plain name is unchanged; any other is shortened, with a part of its hash. An import reads the table's name from the first line.
 */
export class TableFileNames {
  readonly #used = new Set<string>();

  /** Returns the name of the next table's file, without an ending. */
  next({ account, name }: Pick<TableHeader, 'account' | 'name'>): string {
    const whole = account === undefined ? name : `${account}.${name}`;
    const isPlain = plain.test(whole) && whole.length <= plainMax && !device.test(whole);
    if (isPlain && this.#take(whole)) return whole;
    const shown = [...whole]
      .slice(0, shownMax)
      .join('')
      .replace(/[^a-z0-9]+/gi, '_');
    for (let count = 0; ; count++) {
      // Lone surrogates differ in JSON, but not in UTF-8.
      const mark = hash('sha256', JSON.stringify([account, name, count])).slice(0, hashDigits);
      const found = `table_${shown}-${mark}`;
      if (this.#take(found)) return found;
    }
  }

  #take(name: string): boolean {
    const key = lowerAscii(name);
    if (this.#used.has(key)) return false;
    this.#used.add(key);
    return true;
  }
}
