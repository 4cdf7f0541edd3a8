import { readEntity } from '../../entity/body/read-entity.js';
import type { SentEntity } from '../../entity/body/sent-entity.js';
import { type EntityText, writeEntityText } from '../../entity/stored/entity.js';
import { propertyReader } from '../../entity/stored/read-property.js';
import { prepareInsert } from '../../operations/write-entities.js';
import { TableError } from '../../protocol/errors.js';
import { compileFilter } from '../../query/filter/evaluate-filter.js';
import { parseFilter } from '../../query/filter/parse-filter.js';
import { type ImportFile, sourceOf } from '../../transfer/files/import-files.js';
import type { TransferItem } from '../../transfer/import/transfer-item.js';
import { decodeText, readLines } from '../../transfer/read-lines.js';
import { isTableHeader, readTableHeader, TableHeaderFault } from '../../transfer/table-header.js';
import { readItems } from '../../transfer/transfer.js';
import { CopyFault, type FailedRow, type SourceTable } from '../ends/end.js';
import { cutRow } from '../rows/cut-rows.js';
import { afterSpace, type Row } from '../rows/row.js';

/** A piece of a file: the table of the rows after it, a row, or one that cannot be read. */
export type Piece = { readonly table: SourceTable } | { readonly row: Row } | { readonly fault: FailedRow };

/**
 * Reads a file. The rows of NDJSON stay as they are written; other formats are read as an import reads them. `onBytes` gets the size of
 * each part that is read. Errors: StateFault for a file that cannot be read at all; CopyFault for rows without a table.
 */
export async function* piecesOf(file: ImportFile, onBytes: (length: number) => void = () => {}): AsyncGenerator<Piece> {
  let hasTable = false;
  const pieces = file.format === 'ndjson' ? readNdjson(file, onBytes) : readOthers(file, onBytes);
  for await (const piece of pieces) {
    if (!hasTable && !('table' in piece)) {
      if (file.defaultTable === undefined) throw new CopyFault(`The rows of ${file.path} name no table.`);
      yield { table: { name: file.defaultTable, policies: [] } };
    }
    hasTable = true;
    yield piece;
  }
}

async function* readNdjson(file: ImportFile, onBytes: (length: number) => void): AsyncGenerator<Piece> {
  for await (const part of readLines(decodeText(bytesOf(file, onBytes)))) {
    for (const { text, number } of part) yield pieceOf(text, `${file.path}:${number}`);
  }
}

/** Returns the piece of a line; `text` is undefined for one that is too long. */
function pieceOf(text: string | undefined, place: string): Piece {
  try {
    if (text === undefined) throw new SyntaxError('the line is too long');
    if (isTableHeader(text)) return { table: { policies: [], ...readTableHeader(text) } };
    const start = afterSpace(text, 0);
    if (text[start] !== '{') throw new SyntaxError('the line is not an entity');
    const { row, end } = cutRow(text, start);
    if (afterSpace(text, end) < text.length) throw new SyntaxError('there is text after the entity');
    return { row };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TableHeaderFault) return faultAt(place, error);
    throw error;
  }
}

async function* readOthers(file: ImportFile, onBytes: (length: number) => void): AsyncGenerator<Piece> {
  for await (const part of readItems(bytesOf(file, onBytes), file.format, {})) {
    for (const item of part) {
      if (item.kind === 'table') yield { table: { name: item.name, policies: item.policies ?? [] } };
      if (item.kind === 'unnamed' && file.defaultTable !== undefined)
        yield { table: { name: file.defaultTable, policies: [] } };
      if (item.kind === 'unreadable') yield faultAt(`${file.path}:${item.line}`, item.error);
      if (item.kind === 'entity') yield readItem(item, `${file.path}:${item.line}`);
    }
  }
}

function readItem(item: Extract<TransferItem, { readonly kind: 'entity' }>, place: string): Piece {
  try {
    const text = entityTextOf(item.read());
    if (text === undefined) throw new SyntaxError('the row lacks a key');
    return { row: cutRow(text, 0).row };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TableError) return faultAt(place, error);
    throw error;
  }
}

function faultAt(place: string, { message }: Error): Piece {
  const row: Row = { partitionKey: '', rowKey: '', text: '{}' };
  return { fault: { row, code: 'InvalidInput', message: `${place}: ${message}` } };
}

/** Returns the text of an entity as a server stores it; undefined if it lacks a key. Errors: TableError. */
function entityTextOf(sent: SentEntity): EntityText | undefined {
  const change = prepareInsert(sent);
  if (change.kind !== 'insert') return undefined;
  return writeEntityText(change.key, new Date(0).toISOString(), change.properties, change.members);
}

async function* bytesOf(file: ImportFile, onBytes: (length: number) => void): AsyncGenerator<Uint8Array> {
  for await (const bytes of sourceOf(file).open()) {
    onBytes(bytes.length);
    yield bytes;
  }
}

/** Returns a test for rows. A row that a server would reject does not pass. Errors: CopyFault for a filter that is not valid. */
export function filterOf(filter: string | undefined): (row: Row) => boolean {
  const test = filter === undefined ? undefined : compiled(filter);
  if (!test) return () => true;
  return ({ text }) => {
    try {
      const stored = entityTextOf(readEntity(text));
      return stored !== undefined && test(stored);
    } catch (error) {
      if (error instanceof TableError) return false;
      throw error;
    }
  };
}

function compiled(filter: string): ((text: EntityText) => boolean) | undefined {
  try {
    const parsed = parseFilter(filter);
    return parsed && compileFilter<EntityText>(parsed, propertyReader);
  } catch (error) {
    if (error instanceof TableError) throw new CopyFault(`The filter is not valid: ${filter}`);
    throw error;
  }
}
