import type { EntityKey, EntityText } from '../../../entity/stored/entity.js';
import { keyOf } from '../../../entity/stored/write-row.js';
import type { KeyCut, KeyRange } from '../../../query/plan/plan.js';

/**
 * Separates the parts of a stored key. No part can contain it, because the service rejects control characters in both
 * keys of an entity. It sorts below all characters that a key can contain. So ('a', 'z') is before ('aa', 'a'), and
 * LevelDB's order of bytes is the order of (PartitionKey, RowKey).
 *
 * Source: data-model 2.
 */
export const separator = '\u0000';

/** Sorts directly after all keys that continue with the separator. */
const afterSeparator = '\u0001';

/** Sorts after the keys of all entities of a table: no encoded key begins with this character twice. */
export const endOfRows = '\uffff\uffff';

/**
 * Returns what all keys of a table's entities begin with. It contains the id of the table, not the name, because the name
 * of a dropped table may be used again at once.
 */
export function entityPrefix(account: string, tableId: string): string {
  return `entity${separator}${account}${separator}${tableId}${separator}`;
}

/** Returns what all keys of the rows of a layer begin with. */
export function prefixOfLayer({ account, id }: { readonly account: string; readonly id: string }): string {
  return entityPrefix(account, id);
}

/** Returns the key of an entity. `prefix` is that of its table. */
export function encodeEntityKey(prefix: string, key: EntityKey): string {
  return entityKeyEncoder(prefix)(key);
}

/** Returns the stored key of a row. `prefix` is that of its table. */
export function keyOfText(prefix: string, text: EntityText): string {
  return encodeEntityKey(prefix, { partitionKey: keyOf(text, 'PartitionKey'), rowKey: keyOf(text, 'RowKey') });
}

/** Returns a function that does what `encodeEntityKey` does, for many entities. Those of one partition share the work. */
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

/** Returns the stored keys of everything that belongs to a table. */
export function wholeTable(prefix: string): StoredRange {
  return { gte: prefix, lt: prefix.slice(0, -1) + afterSeparator };
}

/** Returns the stored keys of a range of entities. `hasOrders` tells whether the table has other records after them. */
export function encodeRange(prefix: string, { from, to }: KeyRange, hasOrders = false): StoredRange {
  // Only where it is needed: a comparison with characters beyond Latin-1 takes longer.
  const end = hasOrders ? prefix + endOfRows : wholeTable(prefix).lt;
  return {
    gte: from ? encodeCut(prefix, from) : prefix,
    lt: to ? encodeCut(prefix, to) : end,
  };
}

function encodeCut(prefix: string, { partitionKey, rowKey, side }: KeyCut): string {
  // No stored key contains U+0000. So a key is after a literal that contains it if the key is after the text before U+0000.
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

/** Returns the prefix of an entity's key, which identifies the table. */
export function prefixOfEntityKey(key: string): string {
  const account = key.indexOf(separator) + 1;
  const table = key.indexOf(separator, account) + 1;
  return key.slice(0, key.indexOf(separator, table) + 1);
}

/** Returns the lowest key above a key. */
export function keyAfter(key: string): string {
  return key + separator;
}

/** Returns the key of a table's record. `nameKey` is the name in the form in which names of the account are compared. */
export function encodeTableKey(account: string, nameKey: string): string {
  return `table${separator}${account}${separator}${nameKey}`;
}

/** Returns the keys of all records of a kind. */
export function kindRange(kind: 'dropped' | NamedKind): StoredRange {
  return { gte: `${kind}${separator}`, lt: `${kind}${afterSeparator}` };
}

/** Returns the key of the record that a dropped table has until its entities are deleted. */
export function encodeDroppedKey(account: string, tableId: string): string {
  return `dropped${separator}${account}${separator}${tableId}`;
}

/** The kinds of records of which a store has few. */
export type NamedKind = 'table' | 'snapshot' | 'branch' | 'account' | 'service';

/** Returns the key of the record of a snapshot, a branch or an account, or of an account's settings. */
export function encodeNamedKey(kind: NamedKind, name: string): string {
  return `${kind}${separator}${name}`;
}

/** Returns the same range of another table: of the one with the prefix `to` instead of `from`. */
export function moveRange({ gte, lt }: StoredRange, from: string, to: string): StoredRange {
  // The end of a table is not below its prefix, but below the prefix without the last separator.
  const move = (key: string) => to.slice(0, -1) + key.slice(from.length - 1);
  return { gte: move(gte), lt: move(lt) };
}

/** Returns the account of a record's key and the part after it: the name of a table, or the id of a dropped table. */
export function decodeRecordKey(key: string): { account: string; rest: string } {
  const [, account = '', rest = ''] = key.split(separator);
  return { account, rest };
}

/** The key of the format version. */
export const formatKey = `meta${separator}format`;

/** The key of the last Timestamp that was issued. */
export const clockKey = `meta${separator}clock`;

/** The key of the number of the last commit of the log that the engine has. */
export const commitsKey = `meta${separator}commits`;

/** Follows the number of the last commit if LevelDB has proved all until then, and the log may lack some after a failed sync. */
export const provedMark = ' proved';

const outOfOrder = /[\ud800-\uffff]/;

/**
 * Encodes a key so that its UTF-8 bytes sort as its UTF-16 code units do, which is the service's ordinal order. For
 * engines that compare UTF-8 bytes.
 *
 * The two orders differ only between surrogates and U+E000 and above, so most keys are returned unchanged. Code units
 * from U+D800 on are raised by 0x800. The highest ones would not fit, so they become U+FFFF and a second character. The
 * result has no surrogates, so lone surrogates survive UTF-8.
 *
 * Source: data-model 2.
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
