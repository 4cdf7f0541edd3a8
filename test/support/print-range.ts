import type { KeyCut, KeyRange } from '../../src/query/plan.js';

/** A range as `from..to`, a cut as `<key` before it and `key>` behind it; `partition` or `partition/row`. */
export function printRange({ from, to }: KeyRange): string {
  return `${from ? printCut(from) : ''}..${to ? printCut(to) : ''}`;
}

function printCut({ partitionKey, rowKey, side }: KeyCut): string {
  const key = rowKey === undefined ? partitionKey : `${partitionKey}/${rowKey}`;
  return side === 'before' ? `<${key}` : `${key}>`;
}
