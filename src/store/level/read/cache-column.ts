import type { EntityText } from '../../../entity/stored/entity.js';
import { propertyReader } from '../../../entity/stored/read-property.js';
import type { EdmType } from '../../../protocol/values/edm.js';

/** The size of a column besides its values. Unit: bytes. Source: docs/benchmarks.md. */
export const emptyColumnBytes = 220;

/** What each row costs in a column, whether it has a value or not. Unit: bytes. Source: docs/benchmarks.md. */
const slotBytes = 24;

/** The size of a value of a column besides its text. Unit: bytes. Source: docs/benchmarks.md. */
const valueOverheadBytes = 20;

/** A substring of this length or more is a view of the whole text in V8, and compares many times slower. Unit: characters. */
const viewLengthMin = 13;

/** How many characters at the end of a text its mark depends on. Texts of one property often begin alike. */
const markedLength = 16;

/**
 * The values of one property, row by row: their types, and their canonical JSON. Rows without the property have no type.
 * They are apart, because an object for each value would be another place in memory for each row that a filter tests.
 */
export interface Column {
  readonly types: readonly (EdmType | undefined)[];
  readonly json: readonly string[];
  /**
   * The mark of each text. A search for one value looks at these numbers, which are side by side, and hardly at the texts, which
   * the garbage collector has put anywhere. Source: docs/benchmarks.md.
   */
  readonly marks: readonly number[];
}

/** The same, as the block that has it changes it. */
export interface OwnColumn {
  readonly types: (EdmType | undefined)[];
  readonly json: string[];
  readonly marks: number[];
  /** Its size. Unit: bytes of heap, by estimate. */
  bytes: number;
}

/** Returns the values of a property of some rows, with their size. */
export function readColumn(name: string, texts: readonly EntityText[]): OwnColumn {
  const values = texts.map(propertyReader(name));
  const json = values.map((value) => flatten(value?.json ?? ''));
  const bytes = json.reduce((sum, one) => sum + bytesOfValue(one), 0);
  return { types: values.map((value) => value?.type), json, marks: json.map(markOf), bytes };
}

/** Replaces some values at a position by those of another column. */
export function replaceValues(column: OwnColumn, at: number, removed: number, added: OwnColumn): void {
  for (let row = at; row < at + removed; row++) column.bytes -= bytesOfValue(column.json[row] ?? '');
  column.bytes += added.bytes;
  column.types.splice(at, removed, ...added.types);
  column.json.splice(at, removed, ...added.json);
  column.marks.splice(at, removed, ...added.marks);
}

/** Returns a number that is the same for equal texts, and rarely for others. */
export function markOf(json: string): number {
  let mark = json.length;
  for (let at = Math.max(0, json.length - markedLength); at < json.length; at++) {
    mark = (Math.imul(mark, 31) + json.charCodeAt(at)) | 0;
  }
  return mark;
}

/** Returns the size of a value, by its JSON. A row without the property has an empty one. Unit: bytes of heap, by estimate. */
function bytesOfValue(json: string): number {
  return json === '' ? slotBytes : slotBytes + valueOverheadBytes + json.length;
}

/** Returns a text that is a string of its own, not a view of the row. */
function flatten(json: string): string {
  return json.length < viewLengthMin ? json : Buffer.from(json, 'latin1').toString('latin1');
}
