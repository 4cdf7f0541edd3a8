import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { appendFile, mkdir, open, rmdir, stat, truncate, writeFile } from 'node:fs/promises';
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

/** Writes NDJSON: a file, or a folder with one for each table. Until everything is written, it is in a folder beside its place. */
export class FileTarget implements Target {
  readonly isOrdered = true;
  readonly #path: string;
  readonly #mode: CopyWish['mode'];
  readonly #isFolder: boolean;
  readonly #folder: string;
  /** Whether the parts may be those of an earlier run. */
  #continues = false;
  /** The file of each table that is being written. */
  readonly #parts = new Map<string, string>();

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
      this.#parts.set(name, join(this.#folder, file));
    }
    // They may be files of the user.
    const taken = [...this.#parts.values(), ...(this.#isFolder ? [] : [this.#whole])];
    const other = continues ? undefined : taken.find((path) => existsSync(path));
    if (other !== undefined) throw new CopyFault(`${other} exists. Remove it, or name another target.`);
    await mkdir(this.#folder, { recursive: true });
  }

  async open({ name, policies = [] }: SourceTable, mark?: number) {
    const path = this.#partOf(name);
    if (mark === undefined) {
      const header = `${writeTableHeader({ name, policies })}\n`;
      await writeFile(path, header, { flag: this.#continues ? 'w' : 'wx' });
      return { wasEmpty: true, mark: Buffer.byteLength(header) };
    }
    if (((await stat(path).catch(() => undefined))?.size ?? 0) < mark)
      throw new CopyFault(
        `${path} is shorter than at the interruption. Delete the state and ${this.#folder}, and copy again.`,
      );
    await truncate(path, mark);
    return { wasEmpty: true };
  }

  async write(table: string, rows: readonly Row[]): Promise<WriteResult> {
    const path = this.#partOf(table);
    await appendFile(path, rows.map(({ text }) => `${text}\n`).join(''));
    return { ...emptyResult(), written: rows.length, mark: (await stat(path)).size };
  }

  async complete(): Promise<void> {
    const paths = [...this.#parts.values()].filter((path) => existsSync(path));
    for (const path of this.#parts.values()) {
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

  reader(table: string): Promise<Source> {
    return FileSource.open(this.#partOf(table));
  }

  get #whole(): string {
    return join(this.#folder, 'whole');
  }

  #partOf(table: string): string {
    const part = this.#parts.get(table);
    if (!part) throw new Error(`the table ${table} is not prepared`);
    return part;
  }
}
