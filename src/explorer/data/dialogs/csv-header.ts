import { edmTypes } from '../../../protocol/values/edm.js';
import type { ColumnMap } from '../../../transfer/contract.js';

/** The mapping of a CSV column. */
export interface MappedColumn {
  /** The name in the file. */
  readonly column: string;
  /** The name of the property; empty to leave the column out. */
  readonly property: string;
  /** The Edm type of untyped values; empty to let the import infer it. */
  readonly type: string;
}

/** How much of a file is searched for its first line. Unit: bytes. (Our choice: 252 names of usual length fit many times.) */
const headBytes = 64 * 1024;

/** Lines that programs write before the header, as the import reads them. */
const preamble = /^\uFEFF?(?:#TYPE [^\n]*\n|sep=([^"\r\n])\r?\n){0,2}/i;

/** Reads the columns of a CSV file from its header, without those that hold the types of others. */
export async function readColumns(file: Blob): Promise<readonly MappedColumn[]> {
  const begun = await file.slice(0, headBytes).text();
  const [before = '', named] = preamble.exec(begun) ?? [];
  const text = begun.slice(before.length);
  const line = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text)?.[0] ?? '';
  const counted = [',', ';', '\t'].toSorted((a, b) => line.split(b).length - line.split(a).length)[0] ?? ',';
  const separator = `\\u${(named ?? counted).charCodeAt(0).toString(16).padStart(4, '0')}`;
  const cell = new RegExp(`(?:^|${separator})(?:"((?:[^"]|"")*)"|([^${separator}]*))`, 'g');
  return [...line.matchAll(cell)]
    .map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain)
    .filter((name) => name !== '' && !name.endsWith('@type'))
    .map((column) => ({ column, property: column, type: '' }));
}

/** Returns the map for an import; undefined if every column keeps its name and its type. */
export function mapOf(columns: readonly MappedColumn[]): ColumnMap | undefined {
  const moved = columns.filter(({ column, property }) => column !== property);
  const typed = columns.filter(({ property, type }) => property !== '' && edmTypes.some((one) => one === type));
  if (moved.length + typed.length === 0) return undefined;
  return {
    columns: Object.fromEntries(moved.map(({ column, property }) => [column, property === '' ? null : property])),
    types: Object.fromEntries(typed.map(({ property, type }) => [property, type])),
  };
}
