import { int32Max, int32Min, int64Max, int64Min } from '../../protocol/limits.js';
import { readDateTime } from '../../protocol/values/date-time.js';
import type { EdmType } from '../../protocol/values/edm.js';
import { readGuid } from '../../protocol/values/guid.js';
import { ownText } from '../../remembered.js';
import type { CsvColumn } from './csv-columns.js';
import type { CsvRecord } from './read-csv-records.js';

/**
 * How many rows types are chosen by, and how many cells and UTF-16 code units they may have. Our choice: the rows are kept in
 * memory. The row with which one of these is reached still counts.
 */
const sampled = { rows: 1000, cells: 100_000, units: 4 * 1024 * 1024 } as const;

/** Whether a text is a value of a type, the narrowest type first. Numbers with zeros before are names, as postcodes. */
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

/** Chooses types for the columns that have none, by their first rows. */
export class InferredTypes {
  readonly rows: CsvRecord[] = [];
  readonly #columns: readonly CsvColumn[];
  #cells = 0;
  #units = 0;
  /** Number of rows that types are chosen by: not all that arrive with them, so that the size of the pieces changes nothing. */
  #sampled = 0;

  constructor(columns: readonly CsvColumn[]) {
    this.#columns = columns.filter(({ name }) => name !== 'PartitionKey' && name !== 'RowKey');
  }

  /** Adds rows. */
  add(rows: readonly CsvRecord[]): void {
    for (const record of rows) {
      const { cells, units } = record;
      // A cell keeps the piece of the file alive that it was cut out of.
      this.rows.push({ ...record, cells: cells?.map(ownText) });
      if (this.isFull) continue;
      this.#sampled++;
      this.#cells += cells?.length ?? 0;
      this.#units += units;
    }
  }

  /** Whether there are enough rows to choose by. */
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
