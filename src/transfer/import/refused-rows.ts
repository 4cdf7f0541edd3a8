import { describeError } from '../../dialects/storage/describe-error.js';
import { ownText } from '../../entity/stored/own-text.js';
import { TableError } from '../../protocol/errors.js';
import type { RefusedRow } from '../contract.js';
import type { TransferItem } from './transfer-item.js';

/** Number of refused rows that a report has. Ours: it is kept in memory. */
export const reportedRowsMax = 1000;

/** How much of a name, a key or a message a report shows. Unit: UTF-16 code units. Ours: as above. */
const shownUnitsMax = 256;

/** A row as far as it was read. */
export interface ReadRow {
  readonly item: TransferItem & { readonly line: number };
  readonly table?: string | undefined;
  readonly key?: { readonly partitionKey?: string | undefined; readonly rowKey?: string | undefined };
}

/** A row is refused in an import that then imports nothing. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';

  constructor({ line, column, code, message }: RefusedRow) {
    const place = column === undefined ? `Line ${line}` : `Line ${line}, column ${column}`;
    super(`${place}: ${code}: ${message} Nothing was imported.`);
  }
}

/** The rows that an import refused: the first of them, and how many there are. */
export class RefusedRows {
  readonly first: RefusedRow[] = [];
  count = 0;
  readonly #endsImport: boolean;

  /** `endsImport` is whether the first one ends the import. */
  constructor(endsImport: boolean) {
    this.#endsImport = endsImport;
  }

  /** Notes a row. Errors: ImportRefused if it ends the import. */
  add(row: ReadRow, error: Error): void {
    this.count++;
    if (this.count > reportedRowsMax) return;
    const refused = describeRow(row, error);
    this.first.push(refused);
    if (this.#endsImport) throw new ImportRefused(refused);
  }
}

function describeRow({ item, table, key = {} }: ReadRow, error: Error): RefusedRow {
  const isOfService = error instanceof TableError;
  const column = 'column' in item ? item.column : isOfService ? columnIn(item, error) : undefined;
  const { partitionKey, rowKey } = key;
  return {
    line: item.line,
    ...(column !== undefined && { column }),
    ...(table !== undefined && { table: shown(table) }),
    ...(partitionKey !== undefined && { partitionKey: shown(partitionKey) }),
    ...(rowKey !== undefined && { rowKey: shown(rowKey) }),
    code: isOfService ? error.code : 'InvalidInput',
    message: shown(isOfService ? describeError(error).message : error.message),
  };
}

/** Returns what a report shows of a text: a copy, because the text may be a part of a row of megabytes. */
function shown(text: string): string {
  return ownText(text.slice(0, shownUnitsMax));
}

/** Returns where in its line a row is at fault. */
function columnIn(item: TransferItem, error: TableError): number | undefined {
  const evidence = error.evidence();
  if (evidence?.check === 'body-syntax') {
    const { line, column } = evidence.fault?.place ?? {};
    return line === 1 ? column : undefined;
  }
  if (item.kind !== 'entity') return undefined;
  if (error.variant?.name === 'value-out-of-range') return item.columnOf?.(error.variant.property);
  if (evidence?.check === 'property') return item.columnOf?.(evidence.property);
  const [largest] = evidence?.check === 'entity-size' ? evidence.properties : [];
  return largest && item.columnOf?.(largest.name);
}
