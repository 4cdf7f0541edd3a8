import type { AbstractLevel } from 'abstract-level';
import type { EntityText } from '../../../entity/stored/entity.js';

/** LevelDB on disk, or an engine in memory with the same interface. Keys and values are strings. */
export type Engine = AbstractLevel<string | Buffer | Uint8Array, string, string>;

/** The maximum size of a call's result, because each call switches threads. Default: 16 KiB, 25 entities. Source: docs/benchmarks.md. */
export const chunkOptions: object = { highWaterMarkBytes: 1024 * 1024 };

/** The value of a deleted row that still exists in a lower layer. No entity is empty. */
export const tombstone = '';

/** One change of a stored record: its new value, or null to delete it. */
export interface RecordChange {
  readonly key: string;
  readonly value: string | null;
}

/** Returns the row after a change; null if there is none. */
export function rowAfter({ value }: RecordChange): string | null {
  return value === tombstone ? null : value;
}

/**
 * Applies changes to rows. Returns their keys and texts. Rows and changes are in key order, without duplicates. `textAfter` returns
 * the text of a changed row; null if it is gone.
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
