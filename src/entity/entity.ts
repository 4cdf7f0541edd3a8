import type { EdmType } from '../protocol/edm.js';
import { escapeForJson, writeJsonString } from './json-text.js';

/** The key of an entity in its table. Both parts are compared by UTF-16 code unit, and both may be empty. */
export interface EntityKey {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** A custom property, as stored and as sent to clients. */
export interface Property {
  readonly name: string;
  readonly type: EdmType;
  /** The value as JSON, as in an answer: canonical and pure ASCII. */
  readonly json: string;
  /** The size of the value in the service's formula. Unit: bytes. */
  readonly valueBytes: number;
}

/**
 * The text of an entity: its row in an answer with minimal metadata, ready to send.
 *
 * `{"odata.etag":"W/\"datetime'…'\"","PartitionKey":"…","RowKey":"…","Timestamp":"…",custom properties}`, each custom
 * property as `"name":value`, or `"name@odata.type":"Edm.X","name":value` if JSON does not imply the type. The order is
 * that of answers. The store keeps this text, so that a read copies it without parsing.
 *
 * Source: recordings-facts 0; recordings-facts 2.
 */
export type EntityText = string;

const etagStart = '{"odata.etag":"W/\\"datetime\'';

/** Returns the text of an entity, as stored and sent. `timestamp` is canonical UTC text. */
export function writeEntityText(key: EntityKey, timestamp: string, properties: readonly Property[]): EntityText {
  let text = `${etagStart}${timestamp.replaceAll(':', '%3A')}'\\"","PartitionKey":${writeJsonString(key.partitionKey)}`;
  text += `,"RowKey":${writeJsonString(key.rowKey)},"Timestamp":"${timestamp}"`;
  for (const { name, type, json } of properties) text += writeMember(escapeForJson(name), type, json);
  return `${text}}`;
}

/**
 * Returns a member of an entity's text: a comma, the type annotation if JSON does not imply the type, and the property.
 * `member` is the name escaped for JSON, without quotes.
 */
export function writeMember(member: string, type: EdmType, json: string): string {
  return needsAnnotation(type, json) ? `,"${member}@odata.type":"${type}","${member}":${json}` : `,"${member}":${json}`;
}

/** Returns whether answers annotate the type: always for four types, and for a Double that is NaN or infinite. */
function needsAnnotation(type: EdmType, json: string): boolean {
  if (type === 'Edm.Double') return json.startsWith('"');
  return type === 'Edm.Int64' || type === 'Edm.DateTime' || type === 'Edm.Guid' || type === 'Edm.Binary';
}

/** Returns the ETag of an entity with this Timestamp, in the form of the `ETag` header. `timestamp` is canonical UTC text. */
export function writeEtag(timestamp: string): string {
  return `W/"datetime'${timestamp.replaceAll(':', '%3A')}'"`;
}

/** Returns the ETag of a stored entity in the form of the `ETag` header. */
export function etagOf(text: EntityText): string {
  return `W/"datetime'${escapedTimestampOf(text)}'"`;
}

/** Returns the Timestamp of a stored entity: canonical UTC text. */
export function timestampOf(text: EntityText): string {
  return escapedTimestampOf(text).replaceAll('%3A', ':');
}

function escapedTimestampOf(text: EntityText): string {
  return text.slice(etagStart.length, text.indexOf("'", etagStart.length));
}
