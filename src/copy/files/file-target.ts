import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { appendFile, mkdir, open, rmdir, stat, truncate } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { removeFile, renameFile } from '../../change-file.js';
import { formatOfFile } from '../../transfer/files/import-files.js';
import { TableFileNames } from '../../transfer/files/write-aside.js';
import { writeTableHeader } from '../../transfer/table-header.js';
import type { CopyWish } from '../contract.js';
import { CopyFault, emptyResult, type Source, type SourceTable, type Target, type WriteResult } from '../ends/end.js';
import type { Row } from '../rows/row.js';
import { FileSource } from './file-source.js';

/** The file of a table that is being written. */
interface Part {
  readonly path: string;
  size: number;
  /** Resolves when everything so far is written. */
  written: Promise<unknown>;
}

/** Writes NDJSON: a file, or a folder with one for each table. Until everything is written, it is in a folder beside its place. */
export class FileTarget implements Target {
  readonly isOrdered = true;
  readonly #path: string;
  readonly #mode: CopyWish['mode'];
  readonly #isFolder: boolean;
  readonly #folder: string;
  /** Whether the parts may be those of an earlier run. */
  #continues = false;
  /** By table. */
  readonly #parts = new Map<string, Part>();

  /** Errors: CopyFault for a file that is not NDJSON. */
  constructor(path: string, mode: CopyWish['mode']) {
    this.#path = path;
    this.#mode = mode;
    this.#isFolder = extname(path) === '' || /[/\\]$/.test(path);
    this.#folder = `${path.replace(/[/\\]+$/, '')}.part`;
    if (!this.#isFolder && formatOfFile(path) !== 'ndjson')
      throw new CopyFault(`${path} is not NDJSON. Name a file that ends in .ndjson, or a folder.`);
  }

  async prepare(tables: readonly string[], continues: boolean): Promise<void> {
    this.#continues = continues;
    const names = new TableFileNames();
    for (const name of tables) {
      const file = `${names.next({ name })}.ndjson`;
      const end = this.#isFolder ? join(this.#path, file) : this.#path;
      if (!continues && this.#mode !== 'replace' && existsSync(end))
        throw new CopyFault(`${end} exists. Remove it, or pass --mode replace.`);
      this.#parts.set(name, { path: join(this.#folder, file), size: 0, written: Promise.resolve() });
    }
    // They may be files of the user.
    const taken = [...this.#parts.values()].map(({ path }) => path).concat(this.#isFolder ? [] : this.#whole);
    const other = continues ? undefined : taken.find((path) => existsSync(path));
    if (other !== undefined) throw new CopyFault(`${other} exists. Remove it, or name another target.`);
    await mkdir(this.#folder, { recursive: true });
  }

  async open({ name, policies = [] }: SourceTable, mark?: number) {
    const part = this.#partOf(name);
    if (mark === undefined) {
      await open(part.path, this.#continues ? 'w' : 'wx').then((file) => file.close());
      return { wasEmpty: true, mark: await append(part, `${writeTableHeader({ name, policies })}\n`) };
    }
    if (((await stat(part.path).catch(() => undefined))?.size ?? 0) < mark)
      throw new CopyFault(
        `${part.path} is shorter than at the interruption. Delete the state and ${this.#folder}, and copy again.`,
      );
    await truncate(part.path, mark);
    part.size = mark;
    return { wasEmpty: true };
  }

  async write(table: string, rows: readonly Row[]): Promise<WriteResult> {
    const mark = await append(this.#partOf(table), rows.map(({ text }) => `${text}\n`).join(''));
    return { ...emptyResult(), written: rows.length, mark };
  }

  async complete(): Promise<void> {
    const paths = [...this.#parts.values()].map(({ path }) => path).filter((path) => existsSync(path));
    for (const { path } of this.#parts.values()) {
      const end = this.#isFolder ? join(this.#path, basename(path)) : this.#path;
      if (!existsSync(path) && !existsSync(end))
        throw new CopyFault(`${path} is missing. Delete the state, and copy again.`);
    }
    if (this.#isFolder) {
      await mkdir(this.#path, { recursive: true });
      for (const path of paths) {
        const file = await open(path, 'r+');
        await file.sync().finally(() => file.close());
        await renameFile(path, join(this.#path, basename(path)));
      }
    } else if (paths.length === this.#parts.size) {
      // Otherwise, an earlier run was killed while it removed the parts of the whole file.
      const bytes = async function* () {
        for (const path of paths) yield* createReadStream(path);
      };
      await pipeline(bytes, createWriteStream(this.#whole, { flush: true }));
      await renameFile(this.#whole, this.#path);
    }
    for (const path of paths) await removeFile(path);
    // It may have files of its user.
    await rmdir(this.#folder).catch(() => {});
  }

  /** Reads a table, also one that is not complete. */
  async reader(table: string): Promise<Source> {
    const path = this.#parts.get(table)?.path;
    if (path !== undefined) return FileSource.open(path);
    const source = await FileSource.open(this.#path);
    await source.tables();
    return source;
  }

  get #whole(): string {
    return join(this.#folder, 'whole');
  }

  #partOf(table: string): Part {
    const part = this.#parts.get(table);
    if (!part) throw new Error(`the table ${table} is not prepared`);
    return part;
  }
}

/** Appends a text. Returns the size of the file after it. */
async function append(part: Part, text: string): Promise<number> {
  part.size += Buffer.byteLength(text);
  const mark = part.size;
  const written = part.written.then(() => appendFile(part.path, text));
  part.written = written;
  await written;
  return mark;
}
