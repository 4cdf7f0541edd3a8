import { type FileHandle, mkdir, open, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { renameFile } from '../../change-file.js';
import { formatOfFile } from '../../transfer/files/import-files.js';
import { TableFileNames } from '../../transfer/files/write-aside.js';
import { writeTableHeader } from '../../transfer/table-header.js';
import {
  CopyFault,
  type CopyMode,
  emptyResult,
  type OpenedTable,
  type Source,
  type SourceTable,
  type Target,
  type WriteResult,
} from '../ends/end.js';
import type { Row } from '../rows/row.js';
import { FileSource } from './file-source.js';

/** A file that is being written. */
interface OpenFile {
  readonly handle: FileHandle;
  readonly path: string;
  size: number;
  /** Resolves when all parts so far are written. */
  written: Promise<unknown>;
}

/** The ending of a file that is not complete. */
const partEnding = '.part';

/** Writes NDJSON: a file, or a folder with one for each table. A file gets its name when it is complete. */
export class FileTarget implements Target {
  readonly name: string;
  readonly order: 'rows' | 'tables';
  readonly #mode: CopyMode;
  readonly #isFolder: boolean;
  readonly #paths = new Map<string, string>();
  /** By path. */
  readonly #files = new Map<string, OpenFile>();

  /** Errors: CopyFault for a file that is not NDJSON. */
  constructor(path: string, mode: CopyMode) {
    this.name = path;
    this.#mode = mode;
    this.#isFolder = extname(path) === '' || /[/\\]$/.test(path);
    this.order = this.#isFolder ? 'rows' : 'tables';
    if (!this.#isFolder && formatOfFile(path) !== 'ndjson')
      throw new CopyFault(`${path} is not NDJSON. Name a file that ends in .ndjson, or a folder.`);
  }

  async prepare(tables: readonly string[], continues: boolean): Promise<void> {
    if (this.#isFolder) await mkdir(this.name, { recursive: true });
    const names = new TableFileNames();
    for (const name of tables)
      this.#paths.set(name, this.#isFolder ? join(this.name, `${names.next({ name })}.ndjson`) : this.name);
    if (continues || this.#mode === 'replace') return;
    for (const path of this.#paths.values())
      if (await exists(path)) throw new CopyFault(`${path} exists. Remove it, or pass --mode replace.`);
  }

  async open({ name, policies = [] }: SourceTable, mark?: number, lastMark = 0): Promise<OpenedTable> {
    const path = this.#paths.get(name) ?? this.name;
    const start = mark ?? (this.#isFolder ? 0 : lastMark);
    const file = this.#files.get(path) ?? (await openFile(path, start));
    this.#files.set(path, file);
    if (mark !== undefined) return { wasEmpty: true, mark };
    return { wasEmpty: true, mark: await append(file, `${writeTableHeader({ name, policies })}\n`) };
  }

  async write(table: string, rows: readonly Row[]): Promise<WriteResult> {
    const mark = await append(this.#fileOf(table), rows.map(({ text }) => `${text}\n`).join(''));
    return { ...emptyResult(), written: rows.length, mark };
  }

  async finish(table: string): Promise<void> {
    const { handle, path, written } = this.#fileOf(table);
    await written;
    await handle.sync();
    if (this.#isFolder) await this.#end(path, handle);
  }

  async complete(): Promise<void> {
    for (const [path, { handle }] of this.#files) await this.#end(path, handle);
  }

  /** Reads the files, also those that are not complete. */
  async reader(): Promise<Source> {
    const isPart = !this.#isFolder && (await exists(this.name + partEnding));
    return FileSource.open(isPart ? this.name + partEnding : this.name, isPart ? 'ndjson' : undefined);
  }

  async close(): Promise<void> {
    for (const { handle } of this.#files.values()) await handle.close();
    this.#files.clear();
  }

  async #end(path: string, handle: FileHandle): Promise<void> {
    this.#files.delete(path);
    await handle.close();
    await renameFile(path + partEnding, path);
  }

  #fileOf(table: string): OpenFile {
    const file = this.#files.get(this.#paths.get(table) ?? this.name);
    if (!file) throw new Error(`the file of ${table} is not open`);
    return file;
  }
}

/** Opens the part of a file, and cuts it at a size. Errors: CopyFault if it is shorter. */
async function openFile(path: string, size: number): Promise<OpenFile> {
  const part = path + partEnding;
  // An earlier run may have completed it, and have been killed before it could record that.
  if (size > 0 && !(await exists(part)) && (await exists(path))) await renameFile(path, part);
  const handle = await open(part, size > 0 ? 'r+' : 'w');
  const { size: found } = await handle.stat();
  if (found < size) {
    await handle.close();
    throw new CopyFault(`${part} is shorter than at the interruption. Delete the state, and copy again.`);
  }
  await handle.truncate(size);
  return { handle, path, size, written: Promise.resolve() };
}

/** Appends a text. Returns the size of the file after it. */
function append(file: OpenFile, text: string): Promise<number> {
  const bytes = Buffer.from(text);
  const at = file.size;
  file.size += bytes.length;
  const done = file.written.then(() => file.handle.write(bytes, 0, bytes.length, at)).then(() => at + bytes.length);
  file.written = done;
  return done;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
