import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { StateFault } from '../../state/state-fault.js';
import { formatOfFile } from '../files/import-files.js';
import { checkExportName, checkExportPath, exportToPath } from '../files/write-aside.js';
import type { Transfer } from '../transfer.js';

/** A file as it was: its path, and what a change of it changes. */
interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  /** Differs after each change. */
  readonly state: string;
}

/** The export of a server at its end. It takes the place of nothing that the server has not read or may have made. */
export class EndExport {
  readonly #path: string;
  readonly #found: readonly FoundFile[];

  private constructor(path: string, found: readonly FoundFile[]) {
    this.#path = path;
    this.#found = found;
  }

  /**
   * Looks at what an export to a path will replace. Is called before any data is read.
   *
   * Errors: StateFault for a path that a server with this many accounts cannot export to.
   */
  static async prepare(path: string, accounts: number): Promise<EndExport> {
    await checkEnd(path, accounts);
    return new EndExport(resolve(path), await filesAt(resolve(path)));
  }

  /** Whether there is data that it would replace. */
  get replacesData(): boolean {
    return this.#found.some(({ bytes }) => bytes > 0);
  }

  /** Whether it goes to this file or folder. */
  isAt(path: string): boolean {
    return resolve(path) === this.#path;
  }

  /** Returns whether all data that it would replace is in these files. */
  isReadWith(paths: readonly string[]): boolean {
    const read = new Set(paths.map((path) => resolve(path)));
    return this.#found.every(({ path, bytes }) => bytes === 0 || read.has(path));
  }

  /**
   * Exports the data. What has changed since `prepare` stays, and the export goes beside it.
   *
   * Errors: StateFault with the name of that export; as `exportToPath`.
   */
  async save(transfer: Transfer): Promise<void> {
    const found = await filesAt(this.#path);
    if (found.length === 0 || isSame(this.#found, found)) return exportToPath(transfer, this.#path);
    const ending = extname(this.#path);
    const name = `${basename(this.#path, ending)}.unsaved-${randomBytes(4).toString('hex')}${ending}`;
    const beside = join(dirname(this.#path), name);
    await exportToPath(transfer, beside);
    const changed = `${this.#path} was changed while the server was running, so it was not overwritten.`;
    throw new StateFault('invalid', `${changed} The server's data was exported to ${beside}.`);
  }
}

/** Checks what can be known at the start about the export at the end. Errors: StateFault. */
async function checkEnd(path: string, accounts: number): Promise<void> {
  checkExportName(path);
  const format = formatOfFile(path) ?? 'ndjson';
  if (format === 'json' && accounts > 1) {
    const hint = `The server has ${accounts}. Export to a folder, or to a file that ends in .ndjson.`;
    throw new StateFault('invalid', `${path}: JSON holds only one account. ${hint}`);
  }
  if (format === 'csv') {
    throw new StateFault(
      'invalid',
      `${path}: CSV holds only one table. Export to a folder, or to a file that ends in .ndjson.`,
    );
  }
  await checkExportPath(path, format);
}

/** Returns the file at a path, or those in the folder there; none if there is neither. */
async function filesAt(path: string): Promise<readonly FoundFile[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return [];
  const names = found.isDirectory() ? (await readdir(path)).sort() : [''];
  return Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs, ino } = await stat(join(path, name));
      return { path: join(path, name), bytes: size, state: [ino, mtimeMs, size].join() };
    }),
  );
}

function isSame(before: readonly FoundFile[], now: readonly FoundFile[]): boolean {
  return (
    before.length === now.length &&
    before.every(({ path, state }, at) => path === now[at]?.path && state === now[at]?.state)
  );
}
