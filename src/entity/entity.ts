import type { EdmType } from '../protocol/edm.js';
import { writeJsonString } from './json-text.js';

/** Which entity of a table is meant. Both are compared ordinally, by UTF-16 code unit; both may be empty. */
export interface EntityKey {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** A custom property as it is stored and sent. */
export interface Property {
  readonly name: string;
  readonly type: EdmType;
  /** The value as it stands in an answer: canonical, pure ASCII. */
  readonly json: string;
  /** What the value counts for in the service's size formula. Unit: bytes. */
  readonly valueBytes: number;
}

/**
 * An entity as text: its row in a minimal metadata answer, ready to be sent.
 *
 * `{"odata.etag":"W/\"datetime'…'\"","PartitionKey":"…","RowKey":"…","Timestamp":"…",custom properties}`, each custom
 * property as `"name":value`, or `"name@odata.type":"Edm.X","name":value` for the types JSON cannot tell. The order is
 * the order of answers. The store keeps this text, so a read copies and splices and never parses.
 *
 * Source of the shape and the order: recordings-facts, sections 0 and 2.
 */
export type EntityText = string;

const etagStart = '{"odata.etag":"W/\\"datetime\'';

/** Writes an entity as it will be stored and sent. `timestamp` is canonical UTC text. */
export function writeEntityText(key: EntityKey, timestamp: string, properties: readonly Property[]): EntityText {
  let text = `${etagStart}${timestamp.replaceAll(':', '%3A')}'\\"","PartitionKey":${writeJsonString(key.partitionKey)}`;
  text += `,"RowKey":${writeJsonString(key.rowKey)},"Timestamp":"${timestamp}"`;
  for (const { name, type, json } of properties) text += writeMember(writeJsonString(name).slice(1, -1), type, json);
  return `${text}}`;
}

/**
 * A member of an entity with the comma before it and, where JSON cannot tell the type, its annotation.
 * `member` is the name as JSON has it, escaped and without quotes.
 */
export function writeMember(member: string, type: EdmType, json: string): string {
  return needsAnnotation(type, json) ? `,"${member}@odata.type":"${type}","${member}":${json}` : `,"${member}":${json}`;
}

/** Whether answers annotate the type: always for four types, for a Double only when it is NaN or infinite. */
function needsAnnotation(type: EdmType, json: string): boolean {
  if (type === 'Edm.Double') return json.startsWith('"');
  return type === 'Edm.Int64' || type === 'Edm.DateTime' || type === 'Edm.Guid' || type === 'Edm.Binary';
}

/** The ETag of a stored entity, as the header has it. */
export function etagOf(text: EntityText): string {
  const end = text.indexOf("'", etagStart.length);
  return `W/"datetime'${text.slice(etagStart.length, end)}'"`;
}
