import type { EntityText } from '../../../entity/stored/entity.js';
import { type RecordChange, rowAfter } from '../engine/engine.js';

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
