import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { seedName } from '../state/named-states.js';
import type { State } from '../state/state.js';
import { StateFault } from '../state/state-fault.js';
import type { Store } from '../store/store.js';
import type { ImportReport, RefusedRow } from './contract.js';
import { findImportFiles, formatOfFile, sourceOf } from './import-files.js';
import { beforeLoad, forgetInterruptedLoad, interrupted } from './interrupted-load.js';
import type { Transfer } from './transfer.js';
import { checkExportPath, exportToPath } from './write-aside.js';

/** The data that a server loads at its start and keeps at its end. */
export interface StartDataOptions {
  /** Files and folders that are loaded into an empty location. Resets go back to them. */
  readonly seeds: readonly string[];
  /** A file or folder that is imported into an empty location. */
  readonly importPath: string | undefined;
  /** Where to export at the end. */
  readonly exportPath: string | undefined;
}

/** What loads and keeps it. */
export interface StartDataParts {
  readonly store: Pick<Store, 'snapshots' | 'reset' | 'listTables' | 'alone'>;
  readonly state: Pick<State, 'takeSnapshot'>;
  readonly transfer: Transfer;
  /** The accounts that it is for. */
  readonly accounts: readonly string[];
  /** Gets a note about data that was loaded, or was not. */
  readonly note: (text: string) => void;
}

/** Number of refused rows in the message of a start that fails. */
const shownRows = 10;

/** Loads data at the start of a server, and exports it at its end. */
export class StartData {
  readonly #parts: StartDataParts;
  readonly #options: StartDataOptions;

  constructor(parts: StartDataParts, options: StartDataOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /**
   * Loads the data into an empty location. One with data stays as it is. One in which an earlier load was interrupted is
   * loaded again.
   *
   * Errors: StateFault if there is nothing to load, if a row is refused, or if the export could not be written at the end.
   * The location is then empty.
   */
  async load(): Promise<void> {
    const { seeds, importPath, exportPath } = this.#options;
    const { store, accounts, note } = this.#parts;
    if (exportPath !== undefined) await checkEnd(exportPath, accounts.length);
    const paths = importPath === undefined ? seeds : [importPath];
    const isBoth = importPath !== undefined && exportPath !== undefined && resolve(importPath) === resolve(exportPath);
    const isFirst = isBoth && !(await exists(importPath));
    if (paths.length === 0 || isFirst) {
      if (await forgetInterruptedLoad(store.snapshots)) note(interrupted);
      return;
    }
    const load = () => this.#loadEmpty(paths, importPath === undefined ? '--seed' : '--import');
    // Another server that starts would take this load for one that was interrupted.
    await (store.alone ? store.alone(load) : load());
  }

  async #loadEmpty(paths: readonly string[], option: '--seed' | '--import'): Promise<void> {
    const { store, state, accounts, note } = this.#parts;
    await this.#removeInterrupted();
    const tables = await Promise.all(accounts.map((account) => store.listTables(account)));
    if (tables.some(({ length }) => length > 0)) return note(`There is data already, so ${option} was not loaded.`);
    const report = await this.#import(paths, option);
    if (option === '--seed') await state.takeSnapshot(seedName, accounts);
    await store.snapshots.delete(beforeLoad);
    note(`loaded ${report.rows} entities in ${report.tables} tables from ${paths.join(', ')}`);
  }

  /** Exports the data if that is wanted. Errors: as `exportToPath`. */
  async save(): Promise<void> {
    const { exportPath } = this.#options;
    if (exportPath !== undefined) await exportToPath(this.#parts.transfer, exportPath);
  }

  /** Empties accounts whose load was interrupted. Nothing else was written since: the server did not serve yet. */
  async #removeInterrupted(): Promise<void> {
    const snapshots = await this.#parts.store.snapshots.list();
    if (snapshots.some(({ name }) => name === beforeLoad)) await this.#empty();
  }

  async #empty(): Promise<void> {
    const { store, accounts } = this.#parts;
    for (const account of accounts) await store.reset(account);
    await store.snapshots.delete(beforeLoad);
  }

  async #import(paths: readonly string[], option: string): Promise<ImportReport> {
    const { store, transfer, accounts } = this.#parts;
    const files = await Promise.all(paths.map((path) => findImportFiles(path)));
    await store.snapshots.take(beforeLoad, accounts);
    try {
      const report = await transfer.import(files.flat().map(sourceOf));
      if (report.refusedRows === 0) return report;
      const lines = report.refused.slice(0, shownRows).map(describeRow);
      const message = `${option} has ${report.refusedRows} rows that cannot be imported.`;
      throw new StateFault('invalid', [message, ...lines].join(' '));
    } catch (error) {
      await this.#empty();
      throw error;
    }
  }
}

/** Checks what can be known at the start about the export at the end. Errors: StateFault. */
async function checkEnd(path: string, accounts: number): Promise<void> {
  const format = formatOfFile(path) ?? 'ndjson';
  if (format === 'json' && accounts > 1) {
    const hint = `The server has ${accounts}. Export to a folder, or to a file that ends in .ndjson.`;
    throw new StateFault('invalid', `${path}: json holds one account. ${hint}`);
  }
  if (format === 'csv') {
    throw new StateFault(
      'invalid',
      `${path}: csv holds one table. Export to a folder, or to a file that ends in .ndjson.`,
    );
  }
  await checkExportPath(path, format);
}

function describeRow({ file, line, column, code, message }: RefusedRow): string {
  const place = column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
  return `${place}: ${code}: ${message}`;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
