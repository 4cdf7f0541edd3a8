import type { MetadataLevel } from '../../protocol/values/edm.js';
import { type EntityText, writeMember } from './entity.js';
import { escapeForJson, readJsonString, writeJsonString } from './json-text.js';
import { propertyReader, readValues } from './read-property.js';

/** The parts of the links of an entity. */
export interface EntityLinks {
  /** Scheme, host and account prefix of the request, without a final slash. */
  readonly base: string;
  readonly account: string;
  /** The table as the request spells it. */
  readonly table: string;
}

/** Returns the row of an answer for a stored entity. */
export type RowWriter = (text: EntityText) => string;

/** Matches `,"name@odata.type":"Edm.X"`. This cannot occur inside a string, where every quote follows a backslash. */
const annotations = /,"[^"]*@odata\.type":"Edm\.\w+"/g;
const keysAt = ',"PartitionKey":';
const timestampAt = ',"Timestamp":';

/**
 * Returns the path of an entity relative to the base, as in Location, odata.id and odata.editLink. Quotes in keys are
 * doubled and not encoded; everything else is percent-encoded UTF-8. Source: recordings-facts 4.
 */
export function entityPath(table: string, partitionKey: string, rowKey: string): string {
  return `${table}(PartitionKey='${encodeKey(partitionKey)}',RowKey='${encodeKey(rowKey)}')`;
}

/** Fast path: keys that percent-encoding does not change. */
const plainKey = /^[\w.-]*$/;

/** Returns a key as it stands between quotes in a path: a quote is doubled, and everything else is percent-encoded. */
export function encodeKey(key: string): string {
  if (plainKey.test(key)) return key;
  // A lone surrogate has no UTF-8 form, so encodeURIComponent would throw.
  return encodeURIComponent(key.replaceAll("'", "''").toWellFormed());
}

/**
 * Returns the row writer of one answer, for a metadata level and the selected properties. `names` has at least one
 * name and is in the order of the answer; it is undefined for all properties. With `untagged`, rows with minimal metadata
 * have no `odata.etag`.
 *
 * With minimal metadata and all properties, a row is the stored text. Source: recordings-facts 2; query 7; operations 6.
 */
export function rowWriter(
  level: MetadataLevel,
  names: readonly string[] | undefined,
  links: EntityLinks,
  untagged = false,
): RowWriter {
  const full = names === undefined ? (text: EntityText) => text : selectedRow(names);
  if (level === 'minimalmetadata') return untagged ? (text) => withoutEtag(full(text)) : full;
  if (level === 'nometadata') return (text) => withoutMetadata(full(text));
  return (text) => withLinks(text, full(text), links);
}

function withoutEtag(row: string): string {
  return `{${row.slice(row.indexOf(',') + 1)}`;
}

function withoutMetadata(row: string): string {
  const members = row.slice(row.indexOf(',')).replace(annotations, '');
  return `{${members.slice(1)}`;
}

/** Adds the entity's type and id before the ETag, its edit link after the ETag, and the annotation of the Timestamp. */
function withLinks(text: EntityText, row: string, { base, account, table }: EntityLinks): string {
  const path = entityPath(table, keyOf(text, 'PartitionKey'), keyOf(text, 'RowKey'));
  const comma = row.indexOf(',');
  const etag = row.slice(1, comma);
  const rest = row.slice(comma);
  const head = `{"odata.type":"${account}.${table}","odata.id":${writeJsonString(`${base}/${path}`)},${etag},"odata.editLink":${writeJsonString(path)}`;
  return head + rest.replace(timestampAt, `,"Timestamp@odata.type":"Edm.DateTime"${timestampAt}`);
}

const readPartitionKey = propertyReader('PartitionKey');
const readRowKey = propertyReader('RowKey');

/** Returns the PartitionKey or the RowKey of a stored entity. */
export function keyOf(text: EntityText, name: 'PartitionKey' | 'RowKey'): string {
  const stored = name === 'PartitionKey' ? readPartitionKey(text) : readRowKey(text);
  return stored ? readJsonString(stored.json) : '';
}

/** Maximum number of properties to search for one by one. For more, it is faster to read the whole row. */
const searchedMax = 8;

/** Returns a writer of rows with only these properties. A property that the entity does not have is null. */
function selectedRow(names: readonly string[]): RowWriter {
  const columns = names.map((key) => ({ key, name: escapeForJson(key), read: propertyReader(key) }));
  return (text) => {
    let row = text.slice(0, text.indexOf(keysAt));
    const values = names.length > searchedMax ? readValues(text) : undefined;
    for (const { key, name, read } of columns) {
      const value = values ? values.get(key) : read(text);
      if (value === undefined) row += `,"${name}":null`;
      // Only full metadata annotates the Timestamp, and withLinks adds that.
      else if (name === 'Timestamp') row += `,"Timestamp":${value.json}`;
      else row += writeMember(name, value.type, value.json);
    }
    return `${row}}`;
  };
}
