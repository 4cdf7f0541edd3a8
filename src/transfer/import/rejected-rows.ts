import { explainError } from '../../insight/why/describe-evidence.js';
import { TableError } from '../../protocol/errors.js';
import { redactSecrets } from '../../protocol/redact-secrets.js';
import { ownText } from '../../remembered.js';
import { lineOfRejectedRow, type RejectedRow } from '../contract.js';
import type { SentKeys, TransferItem } from './transfer-item.js';

/** Number of rejected rows in a report. (Our choice: it is kept in memory.) */
export const reportedRowsMax = 1000;

/** Longest name or key, and longest message, in a report. Unit: UTF-16 code units. (Our choice: as above.) */
const [nameUnitsMax, messageUnitsMax] = [256, 512];

/** A row as far as it was read. */
interface ReadRow {
  readonly item: TransferItem & { readonly line: number };
  readonly table?: string | undefined;
}

/** Ends a strict import, which then imports nothing. */
export class ImportRejected extends Error {
  override readonly name = 'ImportRejected';

  constructor(row: RejectedRow) {
    super(`${lineOfRejectedRow(row)} Nothing was imported.`);
  }
}

/** The first rejected rows of an import, and the number of all. */
export class RejectedRows {
  readonly first: RejectedRow[] = [];
  count = 0;
  readonly #endsImport: boolean;

  /** `endsImport`: whether the first one ends the import. */
  constructor(endsImport: boolean) {
    this.#endsImport = endsImport;
  }

  /** Records a row. Errors: ImportRejected if it ends the import. */
  add(row: ReadRow, error: Error): void {
    this.count++;
    if (this.count > reportedRowsMax) return;
    const rejected = describeRow(row, error);
    this.first.push(rejected);
    if (this.#endsImport) throw new ImportRejected(rejected);
  }
}

/** Returns the fault behind an error of the service, and the fix. */
function reasonOf(error: TableError): string {
  const { text, advice } = explainError(error);
  return advice === undefined ? text : `${text} ${advice}`;
}

function describeRow({ item, table }: ReadRow, error: Error): RejectedRow {
  const isOfService = error instanceof TableError;
  const column = 'column' in item ? item.column : isOfService ? columnIn(item, error) : undefined;
  const { partitionKey, rowKey }: Partial<SentKeys> = ('readKeys' in item && item.readKeys?.()) || {};
  return {
    line: item.line,
    ...(column !== undefined && { column }),
    ...(table !== undefined && { table: shown(table) }),
    ...(partitionKey !== undefined && { partitionKey: shown(partitionKey) }),
    ...(rowKey !== undefined && { rowKey: shown(rowKey) }),
    code: isOfService ? error.code : 'InvalidInput',
    message: shown(redactSecrets(isOfService ? reasonOf(error) : error.message), messageUnitsMax),
  };
}

/** Shortens a text for a report. A copy, because the text may be a slice of a row of megabytes. */
function shown(text: string, unitsMax = nameUnitsMax): string {
  return ownText(text.slice(0, unitsMax));
}

/** Returns the column of the fault in a row. */
function columnIn(item: TransferItem, error: TableError): number | undefined {
  const evidence = error.evidence();
  if (evidence?.check === 'body-syntax') {
    const { line, column } = evidence.fault?.place ?? {};
    return line === 1 ? column : undefined;
  }
  if (item.kind !== 'entity') return undefined;
  if (error.variant?.name === 'value-out-of-range') return item.columnOf(error.variant.property);
  if (evidence?.check === 'property') return item.columnOf(evidence.property);
  const [largest] = evidence?.check === 'entity-size' ? evidence.properties : [];
  return largest && item.columnOf(largest.name);
}
