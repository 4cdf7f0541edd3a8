import type { EntityKey, EntityText } from '../../../entity/stored/entity.js';
import { keyOf } from '../../../entity/stored/write-row.js';
import type { KeyCut, KeyRange } from '../../../query/plan/plan.js';

/**
 * Separates the parts of a stored key. No part can contain it, because the service rejects control characters in both keys of an
 * entity. It sorts below all valid characters, so ('a', 'z') is before ('aa', 'a'), and LevelDB's byte order is the order of
 * (PartitionKey, RowKey). Source: data-model 2.
 */
export const separator = '\u0000';

/** Sorts directly after all keys that continue with the separator. */
const afterSeparator = '\u0001';

/** Sorts after the keys of all entities of a table: no encoded key begins with this string. */
export const endOfRows = '\uffff\uffff';

/** Returns the key prefix of a table's entities. It has the table's id, not its name, which can be reused right after a drop. */
export function entityPrefix(account: string, tableId: string): string {
  return `entity${separator}${account}${separator}${tableId}${separator}`;
}

/** Returns the key prefix of a layer's rows. */
export function prefixOfLayer({ account, id }: { readonly account: string; readonly id: string }): string {
  return entityPrefix(account, id);
}

/** Returns the stored key of an entity. `prefix` is that of its table. */
export function encodeEntityKey(prefix: string, key: EntityKey): string {
  return entityKeyEncoder(prefix)(key);
}

/** Returns the stored key of a row. `prefix` is that of its table. */
export function keyOfText(prefix: string, text: EntityText): string {
  return encodeEntityKey(prefix, { partitionKey: keyOf(text, 'PartitionKey'), rowKey: keyOf(text, 'RowKey') });
}

/** Returns a fast `encodeEntityKey` for many entities: consecutive ones of a partition share its encoding. */
export function entityKeyEncoder(prefix: string): (key: EntityKey) => string {
  let partition: string | undefined;
  let start = '';
  return ({ partitionKey, rowKey }) => {
    if (partitionKey !== partition) {
      partition = partitionKey;
      start = `${prefix}${encodeOrdered(partitionKey)}${separator}`;
    }
    return start + encodeOrdered(rowKey);
  };
}

/** A range of stored keys: from `gte` up to, not including, `lt`. */
export interface StoredRange {
  readonly gte: string;
  readonly lt: string;
}

/** Returns the range of all records of a table. */
export function wholeTable(prefix: string): StoredRange {
  return { gte: prefix, lt: prefix.slice(0, -1) + afterSeparator };
}

/** Returns the stored keys of a range of entities. `hasOrders`: whether the table has other records after them. */
export function encodeRange(prefix: string, { from, to }: KeyRange, hasOrders = false): StoredRange {
  // Only if needed: comparisons with characters beyond Latin-1 take longer.
  const end = hasOrders ? prefix + endOfRows : wholeTable(prefix).lt;
  return {
    gte: from ? encodeCut(prefix, from) : prefix,
    lt: to ? encodeCut(prefix, to) : end,
  };
}

function encodeCut(prefix: string, { partitionKey, rowKey, side }: KeyCut): string {
  // No stored key contains U+0000, so a key is after a literal with U+0000 if it is after the part before U+0000.
  const partition = beforeSeparator(partitionKey);
  if (partition !== partitionKey) return `${prefix}${encodeOrdered(partition)}${afterSeparator}`;
  const start = `${prefix}${encodeOrdered(partition)}`;
  if (rowKey === undefined) return start + (side === 'before' ? separator : afterSeparator);
  const row = beforeSeparator(rowKey);
  const after = side === 'after' || row !== rowKey;
  return `${start}${separator}${encodeOrdered(row)}${after ? separator : ''}`;
}

function beforeSeparator(text: string): string {
  const at = text.indexOf(separator);
  return at < 0 ? text : text.slice(0, at);
}

/** Returns the table's prefix in an entity's key; empty for other keys. */
export function prefixOfEntityKey(key: string): string {
  const account = key.indexOf(separator) + 1;
  const table = key.indexOf(separator, account) + 1;
  return key.slice(0, key.indexOf(separator, table) + 1);
}

/** Returns the lowest key above a key. */
export function keyAfter(key: string): string {
  return key + separator;
}

/** Returns the key of a table's record. `nameKey` is the name in the form for comparisons. */
export function encodeTableKey(account: string, nameKey: string): string {
  return `table${separator}${account}${separator}${nameKey}`;
}

/** Returns the keys of all records of a kind. */
export function kindRange(kind: 'dropped' | NamedKind): StoredRange {
  return { gte: `${kind}${separator}`, lt: `${kind}${afterSeparator}` };
}

/** Returns the key of a dropped table's marker, which stays until its entities are deleted. */
export function encodeDroppedKey(account: string, tableId: string): string {
  return `dropped${separator}${account}${separator}${tableId}`;
}

/** The kinds of records that a store keeps in memory. */
export type NamedKind = 'table' | 'snapshot' | 'branch' | 'account' | 'service';

/** Returns the key of the record of a snapshot, a branch or an account, or of an account's settings. */
export function encodeNamedKey(kind: NamedKind, name: string): string {
  return `${kind}${separator}${name}`;
}

/** Moves a range from the table with the prefix `from` to the one with the prefix `to`. */
export function moveRange({ gte, lt }: StoredRange, from: string, to: string): StoredRange {
  // The end of a table lies outside its prefix, but shares all but the last separator.
  const move = (key: string) => to.slice(0, -1) + key.slice(from.length - 1);
  return { gte: move(gte), lt: move(lt) };
}

/** Returns the account in a record's key, and the rest: the name of a table, or the id of a dropped one. */
export function decodeRecordKey(key: string): { account: string; rest: string } {
  const [, account = '', rest = ''] = key.split(separator);
  return { account, rest };
}

/** The key of the format version. */
export const formatKey = `meta${separator}format`;

/** The key of a Timestamp that no issued one has passed. */
export const clockKey = `meta${separator}clock`;

/** The key of the number of the last logged commit that the engine has. */
export const commitsKey = `meta${separator}commits`;

/** Follows the number of the last commit if LevelDB has proved all commits up to it, because the log may lack some after a failed sync. */
export const provedMark = ' proved';

const outOfOrder = /[\ud800-\uffff]/;

/**
 * Encodes a key for engines that compare UTF-8 bytes, so that these sort like its UTF-16 code units: the service's ordinal order.
 *
 * The orders differ only between surrogates and U+E000 and above, so most keys stay unchanged. Code units from U+D800 on are raised by
 * 0x800. The highest ones would not fit, so they become U+FFFF and a second character. The result has no surrogates, so lone ones
 * survive UTF-8. Source: data-model 2.
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
