import type { AbstractLevel } from 'abstract-level';
import type { EntityText } from '../../../entity/stored/entity.js';

/** LevelDB on disk, or an engine in memory with the same interface. Keys and values are text. */
export type Engine = AbstractLevel<string | Buffer | Uint8Array, string, string>;

/**
 * LevelDB's option for the maximum size that one call returns. Each call switches threads. The default of 16 KiB would
 * take a call for every 25 entities. Unit: bytes. Source: docs/benchmarks.md.
 */
export const chunkOptions: object = { highWaterMarkBytes: 1024 * 1024 };

/** The value of a deleted row that a layer below still has. No entity is empty. */
export const tombstone = '';

/** One change of a stored record: its new value, or null to delete it. */
export interface RecordChange {
  readonly key: string;
  readonly value: string | null;
}

/** Returns the row that readers find after a change: null if there is none. */
export function rowAfter({ value }: RecordChange): string | null {
  return value === tombstone ? null : value;
}

/**
 * Returns rows as they are after changes: their keys, and their texts. Rows and changes are in the order of their keys, and each key is
 * there once. `textAfter` returns the text of a changed row, null if it is gone.
 */
export function mergeChanges(
  keys: readonly string[],
  texts: readonly EntityText[],
  changes: readonly RecordChange[],
  textAfter: (change: RecordChange) => EntityText | null = rowAfter,
): [keys: string[], texts: EntityText[]] {
  if (changes.length === 0) return [[...keys], [...texts]];
  const merged: [string[], EntityText[]] = [[], []];
  const add = (key: string, text: EntityText) => {
    merged[0].push(key);
    merged[1].push(text);
  };
  let row = 0;
  for (const change of changes) {
    for (; row < keys.length && (keys[row] ?? '') < change.key; row++) add(keys[row] ?? '', texts[row] ?? '');
    if (keys[row] === change.key) row++;
    const text = textAfter(change);
    if (text !== null) add(change.key, text);
  }
  for (; row < keys.length; row++) add(keys[row] ?? '', texts[row] ?? '');
  return merged;
}
