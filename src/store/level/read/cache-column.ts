import type { EntityText } from '../../../entity/stored/entity.js';
import { propertyReader } from '../../../entity/stored/read-property.js';
import type { EdmType } from '../../../protocol/values/edm.js';

/** The size of a column besides its values. Unit: bytes. Source: docs/benchmarks.md. */
export const emptyColumnBytes = 220;

/** The size of a row in a column, with or without a value. Unit: bytes. Source: docs/benchmarks.md. */
const slotBytes = 24;

/** The size of a value of a column besides its text. Unit: bytes. Source: docs/benchmarks.md. */
const valueOverheadBytes = 20;

/** In V8, a substring of at least this length is a view of the whole string, and compares many times slower. Unit: characters. */
const viewLengthMin = 13;

/** The number of characters in a mark, from the end of a string: values of one property often begin alike. */
const markedLength = 16;

/**
 * The values of one property, row by row: types and canonical JSON. Rows without the property have no type. Separate arrays, because an
 * object per value would be another memory access for each row of a filter.
 */
export interface Column {
  readonly types: readonly (EdmType | undefined)[];
  readonly json: readonly string[];
  /** The hash of each string. A search for a value reads adjacent numbers, and few of the scattered strings. Source: docs/benchmarks.md. */
  readonly marks: readonly number[];
}

/** A mutable column, for the block that owns it. */
export interface OwnColumn {
  readonly types: (EdmType | undefined)[];
  readonly json: string[];
  readonly marks: number[];
  /** Its size. Unit: bytes of heap, by estimate. */
  bytes: number;
}

/** Reads the values of a property from rows. */
export function readColumn(name: string, texts: readonly EntityText[]): OwnColumn {
  const values = texts.map(propertyReader(name));
  const json = values.map((value) => flatten(value?.json ?? ''));
  const bytes = json.reduce((sum, one) => sum + bytesOfValue(one), 0);
  return { types: values.map((value) => value?.type), json, marks: json.map(markOf), bytes };
}

/** Replaces `removed` values at a position by those of another column. */
export function replaceValues(column: OwnColumn, at: number, removed: number, added: OwnColumn): void {
  for (let row = at; row < at + removed; row++) column.bytes -= bytesOfValue(column.json[row] ?? '');
  column.bytes += added.bytes;
  column.types.splice(at, removed, ...added.types);
  column.json.splice(at, removed, ...added.json);
  column.marks.splice(at, removed, ...added.marks);
}

/** Returns a hash of a string. */
export function markOf(json: string): number {
  let mark = json.length;
  for (let at = Math.max(0, json.length - markedLength); at < json.length; at++) {
    mark = (Math.imul(mark, 31) + json.charCodeAt(at)) | 0;
  }
  return mark;
}

/** Returns the size of a value, by its JSON, which is empty for a row without the property. Unit: bytes of heap, by estimate. */
function bytesOfValue(json: string): number {
  return json === '' ? slotBytes : slotBytes + valueOverheadBytes + json.length;
}

/** Copies a string that may be a view of the row. */
function flatten(json: string): string {
  return json.length < viewLengthMin ? json : Buffer.from(json, 'latin1').toString('latin1');
}
