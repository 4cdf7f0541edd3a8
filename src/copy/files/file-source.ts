import { stat } from 'node:fs/promises';
import { findImportFiles, type ImportFile } from '../../transfer/files/import-files.js';
import type { FailedRow, Page, Range, ReadWish, Source, SourceTable } from '../ends/end.js';
import type { Row } from '../rows/row.js';
import { filterOf, piecesOf } from './read-pieces.js';

/** The size at which a page ends. (Our choice: the rows of a page of a service.) */
const pageMax = { rows: 1000, units: 2 * 1024 * 1024 } as const;

/** Reads files of the formats of imports. */
export class FileSource implements Source {
  readonly name: string;
  readonly splits = false;
  readonly repeats = true;
  readonly selects = false;
  readonly #files: readonly ImportFile[];

  private constructor(path: string, files: readonly ImportFile[]) {
    this.name = path;
    this.#files = files;
  }

  /** Errors: StateFault if there is no such file. */
  static async open(path: string, format?: 'ndjson'): Promise<FileSource> {
    return new FileSource(path, await findImportFiles(path, format));
  }

  async tables(): Promise<readonly SourceTable[]> {
    const found = new Map<string, SourceTable>();
    for (const file of this.#files) {
      for await (const piece of piecesOf(file)) {
        if ('table' in piece && !found.get(piece.table.name)?.policies?.length)
          found.set(piece.table.name, piece.table);
        // In a folder, a file of NDJSON has one table.
        if (this.#files.length > 1 && file.format === 'ndjson' && 'row' in piece) break;
      }
    }
    return [...found.values()];
  }

  async *pages(table: string, range: Range, { filter }: ReadWish, top?: number): AsyncGenerator<Page> {
    const isWanted = filterOf(filter);
    const skip = range.after && 'skip' in range.after ? range.after.skip : 0;
    let count = 0;
    let [rows, unreadable, units]: [Row[], FailedRow[], number] = [[], [], 0];
    const sizes = await Promise.all(this.#files.map(async ({ path }) => (await stat(path)).size));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    let bytes = 0;
    const onBytes = (length: number) => {
      bytes += length;
    };
    const page = (): Page => ({ rows, unreadable, units, position: { skip: count }, fraction: bytes / total });
    for (const file of this.#files) {
      let name: string | undefined;
      for await (const piece of piecesOf(file, onBytes)) {
        if ('table' in piece) name = piece.table.name;
        if (name !== table) continue;
        if ('table' in piece || ++count <= skip) continue;
        if ('fault' in piece) unreadable.push(piece.fault);
        else if (isWanted(piece.row)) {
          rows.push(piece.row);
          units += piece.row.text.length;
        }
        if (rows.length < (top ?? pageMax.rows) && units < pageMax.units && unreadable.length < pageMax.rows) continue;
        yield page();
        if (top !== undefined) return;
        [rows, unreadable, units] = [[], [], 0];
      }
    }
    if (rows.length + unreadable.length > 0) yield page();
  }

  split(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
