import type { WrittenChange } from '../../insight/changes/written-change.js';
import { keyWords } from '../lines.js';

/** Returns the line about a change: position, time, table, what it did, with which entity, for which request, under which mark. */
export function changeLine(change: WrittenChange): string {
  const { seq, at, account, table, kind, partitionKey, rowKey, requestId, mark } = change;
  return [
    `${seq} ${at.slice(11, 23)} ${account}/${table} ${kind}${keyWords(partitionKey, rowKey)}`,
    ...(requestId === undefined ? [] : [requestId]),
    ...(mark === undefined ? [] : [`[${mark}]`]),
  ].join(' ');
}
