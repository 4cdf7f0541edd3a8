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
import { readItems } from '../../transfer/transfer.js';
import { CopyFault, type FailedRow, type SourceTable } from '../ends/end.js';
import { readRow } from '../rows/cut-rows.js';
import type { Row } from '../rows/row.js';

/** A table in a file, with a row of it, or one that cannot be read. */
export interface Piece extends Pick<SourceTable, 'policies'> {
  readonly table: string;
  readonly row?: Row;
  readonly fault?: FailedRow;
}

/**
 * Reads a file. The rows of NDJSON stay as they are written; other formats are read as an import reads them. `onBytes` gets the size of
 * each part that is read. Errors: StateFault for a file that cannot be read at all; CopyFault for rows without a table.
 */
export async function* piecesOf(file: ImportFile, onBytes: (length: number) => void = () => {}): AsyncGenerator<Piece> {
  let table = file.defaultTable;
  for await (const items of readItems(bytesOf(file, onBytes), file.format, {})) {
    for (const item of items) {
      if (item.kind === 'inferred') continue;
      if (item.kind === 'table') table = item.name;
      if (table === undefined) throw new CopyFault(`The rows of ${file.path} name no table.`);
      if (item.kind === 'table') yield { table, policies: item.policies };
      else if (item.kind === 'unnamed') yield { table };
      else yield { table, ...readItem(item, file) };
    }
  }
}

function readItem(
  item: Extract<TransferItem, { readonly kind: 'entity' | 'unreadable' }>,
  { path, format }: ImportFile,
): Pick<Piece, 'row' | 'fault'> {
  try {
    if (item.kind === 'unreadable') throw item.error;
    const text = format === 'ndjson' ? item.text : entityTextOf(item.read());
    if (text === undefined) throw new SyntaxError('the row lacks a key');
    return { row: readRow(text) };
  } catch (error) {
    if (item.kind === 'entity' && !(error instanceof SyntaxError || error instanceof TableError)) throw error;
    const row: Row = { partitionKey: '', rowKey: '', text: '{}' };
    return { fault: { row, code: 'InvalidInput', message: `${path}:${item.line}: ${(error as Error).message}` } };
  }
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
  if (filter === undefined) return () => true;
  const test = compiled(filter);
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

function compiled(filter: string): (text: EntityText) => boolean {
  try {
    const parsed = parseFilter(filter);
    return parsed ? compileFilter<EntityText>(parsed, propertyReader) : () => true;
  } catch (error) {
    if (error instanceof TableError) throw new CopyFault(`The filter is not valid: ${filter}`);
    throw error;
  }
}
