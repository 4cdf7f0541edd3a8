import type { EntityKey } from '../../entity/entity.js';
import { lowerAscii } from '../../protocol/names.js';
import type { KeyCut, KeyRange } from '../../query/plan.js';

/**
 * Joins the parts of a stored key. No part can hold it: the service refuses control characters in both keys of an
 * entity. It sorts below every character a key may hold, so ('a', 'z') stays before ('aa', 'a') and LevelDB's byte
 * order is (PartitionKey, RowKey) order.
 *
 * Source: data-model 2.
 */
const separator = '\u0000';

/** Sorts directly behind everything that continues a key with the separator. */
const behindSeparator = '\u0001';

const outOfOrder = /[\ud800-\uffff]/;

/**
 * Respells a key so that its UTF-8 bytes sort as its UTF-16 code units do, which is the service's ordinal order.
 *
 * The two orders differ only where surrogates meet U+E000 and above, so most keys are returned as they are. Units from
 * U+D800 on move up by 0x800; the topmost, which then have no room, become U+FFFF and a second character. The result
 * holds no surrogates, so lone ones are kept too.
 */
export function encodeOrdered(key: string): string {
  if (!outOfOrder.test(key)) return key;
  let encoded = '';
  for (let at = 0; at < key.length; at++) {
    const unit = key.charCodeAt(at);
    if (unit < 0xd800) encoded += key[at];
    else if (unit < 0xf7ff) encoded += String.fromCharCode(unit + 0x800);
    else encoded += `\uffff${String.fromCharCode(0x1000 + unit - 0xf7ff)}`;
  }
  return encoded;
}

/** Which table's entities a key is among. The id, not the name: a dropped table's name is free at once. */
export function entityPrefix(account: string, tableId: string): string {
  return `entity${separator}${account}${separator}${tableId}${separator}`;
}

/** Where an entity lives. */
export function encodeEntityKey(prefix: string, { partitionKey, rowKey }: EntityKey): string {
  return `${prefix}${encodeOrdered(partitionKey)}${separator}${encodeOrdered(rowKey)}`;
}

/** The stored keys of a range: from `gte` up to, not including, `lt`. */
export function encodeRange(prefix: string, { from, to }: KeyRange): { gte: string; lt: string } {
  return {
    gte: from ? encodeCut(prefix, from) : prefix,
    lt: to ? encodeCut(prefix, to) : prefix.slice(0, -1) + behindSeparator,
  };
}

function encodeCut(prefix: string, { partitionKey, rowKey, side }: KeyCut): string {
  // No stored key holds U+0000, so every key is behind a literal that does exactly when it is behind the part before.
  const partition = beforeSeparator(partitionKey);
  if (partition !== partitionKey) return `${prefix}${encodeOrdered(partition)}${behindSeparator}`;
  const start = `${prefix}${encodeOrdered(partition)}`;
  if (rowKey === undefined) return start + (side === 'before' ? separator : behindSeparator);
  const row = beforeSeparator(rowKey);
  const after = side === 'after' || row !== rowKey;
  return `${start}${separator}${encodeOrdered(row)}${after ? separator : ''}`;
}

function beforeSeparator(text: string): string {
  const at = text.indexOf(separator);
  return at < 0 ? text : text.slice(0, at);
}

/** Returns the prefix of a key that `encodeEntityKey` made: which table it belongs to. */
export function prefixOfEntityKey(key: string): string {
  const account = key.indexOf(separator) + 1;
  const table = key.indexOf(separator, account) + 1;
  return key.slice(0, key.indexOf(separator, table) + 1);
}

/** Returns the lowest key above a key. */
export function keyAfter(key: string): string {
  return key + separator;
}

/** Where a table's record lives; by lower-cased name, since names are unique without regard to case. */
export function encodeTableKey(account: string, name: string): string {
  return `table${separator}${account}${separator}${lowerAscii(name)}`;
}

/** All records of a kind: from `gte` up to, not including, `lt`. */
export function kindRange(kind: 'table' | 'dropped' | 'service'): { gte: string; lt: string } {
  return { gte: `${kind}${separator}`, lt: `${kind}${behindSeparator}` };
}

/** Where it is noted that a dropped table's entities are still to be swept away. */
export function encodeDroppedKey(account: string, tableId: string): string {
  return `dropped${separator}${account}${separator}${tableId}`;
}

/** Where the settings of an account are kept. */
export function encodeServiceKey(account: string): string {
  return `service${separator}${account}`;
}

/** Account and table id of a key that `encodeDroppedKey` made, or account and name of a table's. */
export function decodeRecordKey(key: string): { account: string; rest: string } {
  const [, account = '', rest = ''] = key.split(separator);
  return { account, rest };
}

/** Where the store keeps the version of its own format. */
export const formatKey = `meta${separator}format`;

/** Where the store keeps the last Timestamp it gave. */
export const clockKey = `meta${separator}clock`;
