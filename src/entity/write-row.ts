import type { MetadataLevel } from '../protocol/edm.js';
import { type EntityText, writeMember } from './entity.js';
import { readJsonString, writeJsonString } from './json-text.js';
import { propertyReader, readValues } from './read-property.js';

/** What the links of an entity are made of. */
export interface EntityLinks {
  /** Scheme, host and account prefix of the request, without a final slash. */
  readonly base: string;
  readonly account: string;
  /** The table as the request spells it. */
  readonly table: string;
}

/** Turns stored entities into rows of an answer. */
export type RowWriter = (text: EntityText) => string;

/** `,"name@odata.type":"Edm.X"`, which cannot occur inside a string, where every quote follows a backslash. */
const annotations = /,"[^"]*@odata\.type":"Edm\.\w+"/g;
const keysAt = ',"PartitionKey":';
const timestampAt = ',"Timestamp":';

/**
 * The address of an entity below the base, as Location, odata.id and odata.editLink have it: quotes doubled and left
 * bare, all else percent-encoded UTF-8. Source: recordings-facts 4.
 */
export function entityPath(table: string, partitionKey: string, rowKey: string): string {
  return `${table}(PartitionKey='${encodeKey(partitionKey)}',RowKey='${encodeKey(rowKey)}')`;
}

function encodeKey(key: string): string {
  // A lone surrogate has no UTF-8; encodeURIComponent would throw on it.
  return encodeURIComponent(key.replaceAll("'", "''").toWellFormed());
}

/**
 * Makes the writer for one answer: rows at this metadata level, with these selected properties (`names` in the order
 * of the answer; undefined for all).
 *
 * Minimal rows are the stored text itself. Source: recordings-facts 2; query, "$select".
 */
export function rowWriter(level: MetadataLevel, names: readonly string[] | undefined, links: EntityLinks): RowWriter {
  const full = names === undefined ? (text: EntityText) => text : selectedRow(names);
  if (level === 'minimalmetadata') return full;
  if (level === 'nometadata') return (text) => withoutMetadata(full(text));
  return (text) => withLinks(text, full(text), links);
}

/** Cuts the etag and every annotation out of a row. */
function withoutMetadata(row: string): string {
  const first = row.indexOf(',');
  return first < 0
    ? '{}'
    : `{${row.slice(first + 1).replace(annotations, '')}`.replace(/^\{"[^"]*@odata\.type":"Edm\.\w+",/, '{');
}

/** Puts type, address and edit link before and behind the etag, and the type before the Timestamp. */
function withLinks(text: EntityText, row: string, { base, account, table }: EntityLinks): string {
  const path = entityPath(table, keyOf(text, 'PartitionKey'), keyOf(text, 'RowKey'));
  const comma = row.indexOf(',');
  const etag = comma < 0 ? row.slice(1, -1) : row.slice(1, comma);
  const rest = comma < 0 ? '}' : row.slice(comma);
  const head = `{"odata.type":"${account}.${table}","odata.id":${writeJsonString(`${base}/${path}`)},${etag},"odata.editLink":${writeJsonString(path)}`;
  return head + rest.replace(timestampAt, `,"Timestamp@odata.type":"Edm.DateTime"${timestampAt}`);
}

const readPartitionKey = propertyReader('PartitionKey');
const readRowKey = propertyReader('RowKey');

/** Reads a key out of a stored entity. */
export function keyOf(text: EntityText, name: 'PartitionKey' | 'RowKey'): string {
  const stored = name === 'PartitionKey' ? readPartitionKey(text) : readRowKey(text);
  return stored ? readJsonString(stored.json) : '';
}

/** Up to so many properties are searched for one by one, which for few is faster than reading all of a row. */
const searchedMax = 8;

/** A row with only these properties; one that the entity lacks is null. */
function selectedRow(names: readonly string[]): RowWriter {
  const columns = names.map((key) => ({ key, name: writeJsonString(key).slice(1, -1), read: propertyReader(key) }));
  return (text) => {
    let row = text.slice(0, text.indexOf(keysAt));
    const values = names.length > searchedMax ? readValues(text) : undefined;
    for (const { key, name, read } of columns) {
      const value = values ? values.get(key) : read(text);
      if (value === undefined) row += `,"${name}":null`;
      // The Timestamp carries its type under full metadata only, and there withLinks puts it.
      else if (name === 'Timestamp') row += `,"Timestamp":${value.json}`;
      else row += writeMember(name, value.type, value.json);
    }
    return `${row}}`;
  };
}
