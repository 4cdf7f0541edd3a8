import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { seedName } from '../state/named-states.js';
import type { State } from '../state/state.js';
import { StateFault } from '../state/state-fault.js';
import type { Store } from '../store/store.js';
import { type ImportReport, lineOfRejectedRow } from './contract.js';
import { findImportFiles, formatOfFile, type ImportFile, sourceOf } from './files/import-files.js';
import { checkExportName, checkExportPath, exportToPath, findReplaced } from './files/write-aside.js';
import { beforeLoad, forgetInterruptedLoad, interrupted } from './interrupted-load.js';
import type { Transfer } from './transfer.js';

/** The data that a server loads at its start and keeps at its end. */
export interface StartDataOptions {
  /** Files and folders that are loaded into an empty location. Resets go back to them. */
  readonly seeds: readonly string[];
  /** A file or folder that is imported into an empty location. */
  readonly importPath: string | undefined;
  /** The path of the final export. */
  readonly exportPath: string | undefined;
}

interface StartDataParts {
  readonly store: Pick<Store, 'snapshots' | 'reset' | 'listTables' | 'alone'>;
  readonly state: Pick<State, 'takeSnapshot'>;
  readonly transfer: Transfer;
  readonly accounts: readonly string[];
  /** Reports loaded or skipped data. */
  readonly note: (text: string) => void;
  /** Aborts a load, which then leaves the location empty. */
  readonly signal?: AbortSignal | undefined;
}

/** Number of rejected rows in the message of a failed start. */
const shownRows = 10;

/** Loads data at the start of a server, and exports it at its end. */
export class StartData {
  readonly #parts: StartDataParts;
  readonly #options: StartDataOptions;
  #end: EndExport | undefined;

  constructor(parts: StartDataParts, options: StartDataOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /**
   * Loads the data into an empty location. A location with data stays as it is; an interrupted load starts again.
   *
   * Errors: StateFault if there is nothing to load, if a row is rejected, or if the final export could not be written or would
   * replace unread data. The location is then unchanged, or empty.
   */
  async load(): Promise<void> {
    const { seeds, importPath, exportPath } = this.#options;
    const { store, accounts } = this.#parts;
    if (exportPath !== undefined) this.#end = await EndExport.prepare(exportPath, accounts.length);
    const paths = importPath === undefined ? seeds : [importPath];
    // The first of several starts that each continue from the last export.
    const isFirst = importPath !== undefined && this.#end?.isAt(importPath) && !this.#end.replacesData;
    if (isFirst) await checkFirst(importPath);
    if (paths.length === 0 || isFirst) return this.#loadNothing();
    const load = () => this.#loadEmpty(paths, importPath === undefined ? '--seed' : '--import');
    // Another starting server would mistake this load for an interrupted one.
    await (store.alone ? store.alone(load) : load());
  }

  async #loadNothing(): Promise<void> {
    const { store, note } = this.#parts;
    if (await this.#isEmpty()) this.#checkEnd([]);
    if (await forgetInterruptedLoad(store.snapshots)) note(interrupted);
  }

  async #loadEmpty(paths: readonly string[], option: '--seed' | '--import'): Promise<void> {
    const { store, state, accounts, note } = this.#parts;
    await this.#removeInterrupted();
    if (!(await this.#isEmpty())) {
      this.#checkKept(paths, option);
      return note(`The location already has data, so ${option} was not loaded.`);
    }
    const files = (await Promise.all(paths.map((path) => findImportFiles(path)))).flat();
    this.#checkEnd(files);
    const report = await this.#import(files, option);
    if (option === '--seed') await state.takeSnapshot(seedName, accounts);
    await store.snapshots.kept.drop(beforeLoad);
    note(`loaded ${report.rows} entities in ${report.tables} tables from ${paths.join(', ')}`);
  }

  async #isEmpty(): Promise<boolean> {
    const { store, accounts } = this.#parts;
    const tables = await Promise.all(accounts.map((account) => store.listTables(account)));
    return tables.every(({ length }) => length === 0);
  }

  /** Checks that the final export replaces no data except these loaded files. Errors: StateFault. */
  #checkEnd(files: readonly ImportFile[]): void {
    if (!this.#end || this.#end.isReadWith(files.map(({ path }) => path))) return;
    const path = this.#options.exportPath;
    throw new StateFault(
      'invalid',
      `${path} has data, which the export at the end would replace unread. Load it with --import ${path}, remove it, or name another path.`,
    );
  }

  /**
   * Checks the final export of a server that has data already. It may replace the export of an earlier run, but no file that was
   * to be loaded. Errors: StateFault.
   */
  #checkKept(paths: readonly string[], option: string): void {
    const { exportPath } = this.#options;
    if (!this.#end?.replacesData || !paths.some((path) => this.#end?.isAt(path))) return;
    throw new StateFault(
      'invalid',
      `The location already has data, so ${exportPath} is not loaded, and the export on exit would overwrite it. ` +
        `To keep the existing data, omit ${option} and use --exportOnExit ${exportPath}. ` +
        `To load ${exportPath}, use an empty location, or keep the data in memory.`,
    );
  }

  /** Exports the data if requested. Errors: as `EndExport.save`. */
  async save(): Promise<void> {
    await this.#end?.save(this.#parts.transfer);
  }

  /** Empties accounts after an interrupted load. Nothing else was written since: the server did not serve yet. */
  async #removeInterrupted(): Promise<void> {
    const loads = await this.#parts.store.snapshots.kept.list(beforeLoad.kind);
    if (loads.length > 0) await this.#empty();
  }

  async #empty(): Promise<void> {
    const { store, accounts } = this.#parts;
    for (const account of accounts) await store.reset(account);
    await store.snapshots.kept.drop(beforeLoad);
  }

  async #import(files: readonly ImportFile[], option: string): Promise<ImportReport> {
    const { store, transfer, accounts, signal } = this.#parts;
    await store.snapshots.kept.begin(beforeLoad, accounts, undefined);
    try {
      const report = await transfer.import(files.map(sourceOf), {}, () => signal?.throwIfAborted());
      if (report.rejectedRows === 0) return report;
      const lines = report.rejected.slice(0, shownRows).map(lineOfRejectedRow);
      const message = `${option} has rows that cannot be imported: ${report.rejectedRows}.`;
      throw new StateFault('invalid', [message, ...lines].join(' '));
    } catch (error) {
      await this.#empty();
      throw error;
    }
  }
}

/** Checks that the missing data is not an interrupted replacement. Errors: StateFault. */
async function checkFirst(path: string): Promise<void> {
  const replaced = await findReplaced(path);
  if (replaced === undefined) return;
  throw new StateFault(
    'missing',
    `${path} is missing because an export was interrupted. Rename ${replaced} to restore it.`,
  );
}

interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  /** Differs after each change. */
  readonly state: string;
}

/** The final export of a server. It replaces only files that have not changed since the start. */
class EndExport {
  readonly #path: string;
  readonly #found: readonly FoundFile[];

  private constructor(path: string, found: readonly FoundFile[]) {
    this.#path = path;
    this.#found = found;
  }

  /**
   * Records the files that an export to a path will replace. Called before any data is read.
   *
   * Errors: StateFault for a path that a server with this many accounts cannot export to.
   */
  static async prepare(path: string, accounts: number): Promise<EndExport> {
    await checkEnd(path, accounts);
    return new EndExport(resolve(path), await filesAt(resolve(path)));
  }

  get replacesData(): boolean {
    return this.#found.some(({ bytes }) => bytes > 0);
  }

  /** Whether it writes to this file or folder. */
  isAt(path: string): boolean {
    return resolve(path) === this.#path;
  }

  /** Returns whether these files contain all data that it would replace. */
  isReadWith(paths: readonly string[]): boolean {
    const read = new Set(paths.map((path) => resolve(path)));
    return this.#found.every(({ path, bytes }) => bytes === 0 || read.has(path));
  }

  /**
   * Exports the data. If the files have changed since `prepare`, they stay, and the export is written beside them.
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

/** Checks at the start that the final export is possible. Errors: StateFault. */
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
