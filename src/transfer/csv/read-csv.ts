import { readMembers } from '../../entity/body/read-entity.js';
import type { JsonMember } from '../../entity/body/read-json.js';
import { writeJsonString } from '../../entity/stored/json-text.js';
import { TableError } from '../../protocol/errors.js';
import { StateFault } from '../../state/state-fault.js';
import type { ImportWish } from '../contract.js';
import type { TransferItem, TransferItems } from '../import/transfer-item.js';
import { type CsvColumn, readCsvColumns, typeNamed } from './csv-columns.js';
import { InferredTypes } from './infer-types.js';
import type { CsvRecord } from './read-csv-records.js';

/**
 * Reads typed CSV, as Azure Storage Explorer writes it, and plain CSV. The types of a column `X` are in the column `X@type`. A
 * value without a type has the last one of its column, otherwise that of the map, otherwise it is a string.
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
  /** The type that each column had last, or the one that it has from the start. */
  readonly #types: (string | undefined)[];

  constructor(columns: readonly CsvColumn[], width: number) {
    this.#columns = columns;
    this.#width = width;
    this.#types = columns.map(({ type }) => type);
  }

  /** Returns the items of the rows by which types were chosen. Later rows get the same types. */
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
    // Types stick from row to row, so they are looked at in order, also in a row that is rejected.
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
    // An empty text or no bytes is only a value if the row says so, in the form that gives a type to each value.
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
