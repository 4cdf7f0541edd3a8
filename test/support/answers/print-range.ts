import type { KeyCut, KeyRange } from '../../../src/query/plan/plan.js';

/** Prints a range as `from..to`. A cut is `<key` before a key or `key>` after it. A key may have a row: `p/r`. */
export function printRange({ from, to }: KeyRange): string {
  return `${from ? printCut(from) : ''}..${to ? printCut(to) : ''}`;
}

function printCut({ partitionKey, rowKey, side }: KeyCut): string {
  const key = rowKey === undefined ? partitionKey : `${partitionKey}/${rowKey}`;
  return side === 'before' ? `<${key}` : `${key}>`;
}
