import { stat } from 'node:fs/promises';
import { findImportFiles, type ImportFile } from '../../transfer/files/import-files.js';
import type { FailedRow, Page, Range, ReadWish, Source, SourceTable } from '../ends/end.js';
import type { Row } from '../rows/row.js';
import { filterOf, piecesOf } from './read-pieces.js';

/** The size at which a page ends. (Our choice: the rows of a page of a service.) */
const pageMax = { rows: 1000, units: 2 * 1024 * 1024 } as const;

/** Reads files of the formats of imports. */
export class FileSource implements Source {
  readonly isOfFiles = true;
  readonly #all: readonly ImportFile[];
  /** The files of each table, once they are known. */
  readonly #filesOf = new Map<string, ImportFile[]>();

  private constructor(files: readonly ImportFile[]) {
    this.#all = files;
  }

  /** Errors: StateFault if there is no such file. */
  static async open(path: string): Promise<FileSource> {
    return new FileSource(await findImportFiles(path));
  }

  async tables(): Promise<readonly SourceTable[]> {
    const found = new Map<string, SourceTable>();
    for (const file of this.#all) {
      for await (const { table, policies = [] } of piecesOf(file)) {
        if (!found.get(table)?.policies?.length) found.set(table, { name: table, policies });
        const files = this.#filesOf.get(table) ?? [];
        if (files.at(-1) !== file) this.#filesOf.set(table, [...files, file]);
      }
    }
    return [...found.values()];
  }

  async *pages(table: string, range: Range, { filter }: ReadWish): AsyncGenerator<Page> {
    const isWanted = filterOf(filter);
    const skip = range.after && 'skip' in range.after ? range.after.skip : 0;
    const files = this.#filesOf.get(table) ?? this.#all;
    const sizes = await Promise.all(files.map(async ({ path }) => (await stat(path)).size));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    let [count, bytes] = [0, 0];
    let [rows, unreadable, units]: [Row[], FailedRow[], number] = [[], [], 0];
    const page = (): Page => ({ rows, unreadable, position: { skip: count }, fraction: bytes / total });
    for (const file of files) {
      for await (const piece of piecesOf(file, (length) => (bytes += length))) {
        const { row, fault } = piece;
        if (piece.table !== table || !(row || fault) || ++count <= skip) continue;
        if (fault) unreadable.push(fault);
        else if (row && isWanted(row)) {
          rows.push(row);
          units += row.text.length;
        }
        if (rows.length + unreadable.length < pageMax.rows && units < pageMax.units) continue;
        yield page();
        [rows, unreadable, units] = [[], [], 0];
      }
    }
    if (rows.length + unreadable.length > 0) yield page();
  }
}
