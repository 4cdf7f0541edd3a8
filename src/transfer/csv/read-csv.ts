import { readMembers } from '../../entity/body/read-entity.js';
import type { JsonMember } from '../../entity/body/read-json.js';
import { writeJsonString } from '../../entity/stored/json-text.js';
import { TableError } from '../../protocol/errors.js';
import { int32Max, int32Min, int64Max, int64Min } from '../../protocol/limits.js';
import { readDateTime } from '../../protocol/values/date-time.js';
import type { EdmType } from '../../protocol/values/edm.js';
import { readGuid } from '../../protocol/values/guid.js';
import { ownText } from '../../remembered.js';
import { StateFault } from '../../state/state-fault.js';
import type { ImportWish } from '../contract.js';
import type { TransferItem, TransferItems } from '../import/transfer-item.js';
import { type CsvColumn, readCsvColumns, typeNamed } from './csv-columns.js';
import type { CsvRecord } from './read-csv-records.js';

/**
 * Reads typed CSV, as Azure Storage Explorer writes it, and plain CSV. The types of a column `X` are in the column `X@type`.
 * The type of an untyped value is the previous one in its column, then that of the map, then string.
 *
 * Errors: StateFault for a header that cannot be used.
 */
export async function* readCsv(
  records: AsyncIterable<readonly CsvRecord[]>,
  { map, infer = false }: Pick<ImportWish, 'map' | 'infer'>,
): TransferItems {
  let reader: RowReader | undefined;
  let inferred: InferredTypes | undefined;
  for await (const part of records) {
    const rows = reader || !part[0] ? part : part.slice(1);
    if (!reader && part[0]) {
      const columns = readCsvColumns(headerOf(part[0]), map);
      reader = new RowReader(columns, headerOf(part[0]).length);
      inferred = infer ? new InferredTypes(columns) : undefined;
      yield [{ kind: 'unnamed', line: part[0].line }];
    }
    if (!reader) continue;
    if (inferred) {
      inferred.add(rows);
      if (!inferred.isFull) continue;
      yield reader.begin(inferred);
      inferred = undefined;
    } else yield rows.map((record) => (reader as RowReader).read(record));
  }
  if (!reader) throw new StateFault('invalid', 'The file is empty. It must begin with the column names.');
  if (inferred) yield reader.begin(inferred);
}

function headerOf({ line, cells, tailAt }: CsvRecord): readonly string[] {
  const fault = cells ? tailAt && wordsOfTail(tailAt) : 'The header has too many columns.';
  if (cells && !fault) return cells;
  throw new StateFault('invalid', `Line ${line}: ${fault}`);
}

function wordsOfTail(at: number): string {
  return `The text of column ${at} continues after its closing quote. Write a quote inside a quoted cell twice.`;
}

class RowReader {
  readonly #columns: readonly CsvColumn[];
  readonly #width: number;
  /** The latest type of each column, initially that of the map. */
  readonly #types: (string | undefined)[];

  constructor(columns: readonly CsvColumn[], width: number) {
    this.#columns = columns;
    this.#width = width;
    this.#types = columns.map(({ type }) => type);
  }

  /** Returns the items of the sampled rows. Later rows get the same types. */
  begin(inferred: InferredTypes): readonly TransferItem[] {
    const types = inferred.choose();
    for (const [at, { name }] of this.#columns.entries()) this.#types[at] ??= types.get(name);
    return [{ kind: 'inferred', types }, ...inferred.rows.map((record) => this.read(record))];
  }

  read({ line, cells, tailAt, units }: CsvRecord): TransferItem {
    if (!cells) return { kind: 'unreadable', line, error: new TableError('RequestBodyTooLarge') };
    if (cells.length !== this.#width) {
      const counts = `The row has ${cells.length} cells, but the header has ${this.#width}.`;
      return {
        kind: 'unreadable',
        line,
        error: new Error(`${counts} Put quotes around cells with separators or line breaks.`),
      };
    }
    // A type applies to the following rows too, so even a rejected row sets it.
    const types = this.#columns.map((column, at) => this.#typeOf(column, at, cells));
    const readKeys = () => ({ partitionKey: cells[this.#at('PartitionKey')], rowKey: cells[this.#at('RowKey')] });
    if (tailAt !== undefined) {
      return { kind: 'unreadable', line, column: tailAt, error: new Error(wordsOfTail(tailAt)), readKeys };
    }
    return {
      kind: 'entity',
      line,
      units,
      read: () => this.#readEntity(cells, types),
      readKeys,
      columnOf: (property) => this.#at(property) + 1 || undefined,
    };
  }

  /** Returns the position of a property in a record; -1 if it has no column. */
  #at(property: string): number {
    return this.#columns.find(({ name }) => name === property)?.at ?? -1;
  }

  /** Returns the type of a value, or undefined if the row does not have the property. */
  #typeOf({ name, at, typeAt }: CsvColumn, position: number, cells: readonly string[]): string | undefined {
    const own = typeAt === undefined ? '' : (cells[typeAt] ?? '').trim();
    if (isNull(own)) return undefined;
    if (own !== '') this.#types[position] = typeNamed(own);
    const isKey = name === 'PartitionKey' || name === 'RowKey';
    if (cells[at] !== '' || isKey) return this.#types[position] ?? 'Edm.String';
    // An empty string or binary is a value only if the row itself gives its type.
    return own === 'Edm.String' || own === 'Edm.Binary' ? own : undefined;
  }

  #readEntity(cells: readonly string[], types: readonly (string | undefined)[]) {
    const [values, annotations]: [JsonMember[], JsonMember[]] = [[], []];
    for (const [at, { name, at: cellAt }] of this.#columns.entries()) {
      const type = types[at];
      if (type === undefined) continue;
      values.push({ name, kind: 'string', json: writeJsonString(cells[cellAt] ?? '') });
      if (type !== 'Edm.String') annotations.push({ name, kind: 'string', json: writeJsonString(type) });
    }
    return readMembers(values, annotations);
  }
}

function isNull(type: string): boolean {
  return type === 'Null' || type === 'Edm.Null' || type === 'null';
}

/**
 * Limits for the rows that types are inferred from: rows, cells, UTF-16 code units. (Our choice: the rows are kept in memory.)
 * The row that reaches a limit still counts.
 */
const sampled = { rows: 1000, cells: 100_000, units: 4 * 1024 * 1024 } as const;

/** Tests for values of a type, narrowest first. Numbers with leading zeros are strings, such as postcodes. */
const fits: readonly (readonly [EdmType, (text: string) => boolean])[] = [
  ['Edm.Boolean', (text) => /^(?:true|false)$/i.test(text)],
  ['Edm.Int32', (text) => isInteger(text) && Number(text) >= int32Min && Number(text) <= int32Max],
  ['Edm.Int64', (text) => isInteger(text) && BigInt(text) >= int64Min && BigInt(text) <= int64Max],
  ['Edm.Double', (text) => /^-?(?:0|[1-9]\d{0,15})(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/.test(text)],
  ['Edm.DateTime', (text) => text.includes('T') && 'text' in readDateTime(text)],
  ['Edm.Guid', (text) => readGuid(text) !== undefined],
];

function isInteger(text: string): boolean {
  return /^(?:0|-?[1-9]\d{0,18})$/.test(text);
}

/** Infers types for untyped columns from the first rows. */
class InferredTypes {
  readonly rows: CsvRecord[] = [];
  readonly #columns: readonly CsvColumn[];
  #cells = 0;
  #units = 0;
  /** Number of rows to infer from. Rows of the same chunk after a limit do not count, so the chunk size has no influence. */
  #sampled = 0;

  constructor(columns: readonly CsvColumn[]) {
    this.#columns = columns.filter(({ name }) => name !== 'PartitionKey' && name !== 'RowKey');
  }

  add(rows: readonly CsvRecord[]): void {
    for (const record of rows) {
      const { cells, units } = record;
      // A slice would keep its whole chunk of the file alive.
      this.rows.push({ ...record, cells: cells?.map(ownText) });
      if (this.isFull) continue;
      this.#sampled++;
      this.#cells += cells?.length ?? 0;
      this.#units += units;
    }
  }

  get isFull(): boolean {
    return this.#sampled >= sampled.rows || this.#cells >= sampled.cells || this.#units >= sampled.units;
  }

  /** Returns the narrowest type that all values of a column fit, for each column without types. */
  choose(): ReadonlyMap<string, EdmType> {
    const untyped = this.#columns.filter(({ type, typeAt }) => type === undefined && typeAt === undefined);
    return new Map(untyped.map(({ name, at }) => [name, this.#typeAt(at)]));
  }

  #typeAt(at: number): EdmType {
    const values = this.rows.slice(0, this.#sampled).flatMap(({ cells }) => cells?.[at] || []);
    const found = values.length > 0 && fits.find(([, isValue]) => values.every(isValue));
    return found ? found[0] : 'Edm.String';
  }
}
