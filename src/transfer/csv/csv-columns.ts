import { nearestName } from '../../nearest-name.js';
import { lowerAscii } from '../../protocol/names.js';
import { type EdmType, edmTypes } from '../../protocol/values/edm.js';
import { StateFault } from '../../state/state-fault.js';
import type { ColumnMap } from '../contract.js';

/** A column with the values of a property. */
export interface CsvColumn {
  readonly name: string;
  /** The position of its values in a record, from 0. */
  readonly at: number;
  /** The position of their types, if the file has them. */
  readonly typeAt: number | undefined;
  /** The type of values for which the file has none. */
  readonly type: string | undefined;
}

/** The name endings of columns that hold the types of another column. */
const typeEndings = ['@type', '@odata.type'] as const;

const typeByName: ReadonlyMap<string, EdmType> = new Map(
  edmTypes.map((type) => [lowerAscii(type.slice('Edm.'.length)), type]),
);

/** Returns a type by its name, with or without `Edm.`; the name itself if there is no such type. */
export function typeNamed(name: string): EdmType | string {
  return typeByName.get(lowerAscii(name).replace(/^edm\./, '')) ?? name;
}

/** Checks the shape of a map from outside. Errors: StateFault. */
export function checkColumnMap(value: unknown): asserts value is ColumnMap {
  const isRecord = (one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one);
  const fits = (one: unknown, isValue: (text: unknown) => boolean) =>
    one === undefined || (isRecord(one) && Object.values(one as object).every(isValue));
  if (isRecord(value)) {
    const { columns, types, ...others } = value as { readonly columns?: unknown; readonly types?: unknown };
    const isText = (text: unknown) => typeof text === 'string';
    const areRight = fits(columns, (text) => text === null || isText(text)) && fits(types, isText);
    if (areRight && Object.keys(others).length === 0) return;
  }
  throw fault('The map is invalid. Write it as {"columns":{"Id":"RowKey","Notes":null},"types":{"Age":"Edm.Int32"}}.');
}

/** Returns the columns of a header. Errors: StateFault for a column that is missing, duplicated, or without values. */
export function readCsvColumns(
  header: readonly string[],
  { columns = {}, types = {} }: ColumnMap = {},
): readonly CsvColumn[] {
  const [renamed, given] = [new Map(Object.entries(columns)), new Map(Object.entries(types))];
  for (const name of renamed.keys()) {
    if (!header.includes(name)) throw fault(`The map refers to the column '${name}', which is not in the file.`);
  }
  if (header.some((name) => name.includes('\r'))) {
    throw fault('The header has a carriage return without a line feed. Save the file with line feeds.');
  }
  const positions = new Map<string, number>();
  const typesAt = new Map<string, number>();
  for (const [at, text] of header.entries()) {
    const ending = typeEndings.find((one) => text.endsWith(one));
    const column = ending === undefined ? text : text.slice(0, -ending.length);
    const name = renamed.has(column) ? renamed.get(column) : column;
    if (name === null || name === undefined || isMetadata(name)) continue;
    const places = ending === undefined ? positions : typesAt;
    if (places.has(name)) throw fault(`The column '${text}' appears twice.`);
    places.set(name, at);
  }
  const missing = ['PartitionKey', 'RowKey'].filter((key) => !positions.has(key));
  if (missing.length > 0) throw fault(wordsOfMissing(missing, header));
  for (const name of typesAt.keys()) {
    if (!positions.has(name)) throw fault(`'${name}' has a column of types, but none of values.`);
  }
  return [...positions].map(([name, at]) => {
    const type = given.get(name);
    return { name, at, typeAt: typesAt.get(name), type: type === undefined ? undefined : typeNamed(type) };
  });
}

/** Names the missing columns, and suggests a map. */
function wordsOfMissing(missing: readonly string[], header: readonly string[]): string {
  const columns = missing.map((key) => [nearestName(key, header) ?? (key === 'RowKey' ? 'Id' : 'Country'), key]);
  const them = missing.length > 1 ? ['columns', 'them'] : ['column', 'it'];
  const advice = `Rename the ${them[0]}, or map ${them[1]} with --map FILE (in a program: map)`;
  return `The file has no column ${missing.join(' and no column ')}. ${advice}: ${JSON.stringify({ columns: Object.fromEntries(columns) })}.`;
}

/** Returns whether the service itself sets a property. */
function isMetadata(name: string): boolean {
  return name === 'Timestamp' || name.startsWith('odata.');
}

function fault(message: string): StateFault {
  return new StateFault('invalid', message);
}
