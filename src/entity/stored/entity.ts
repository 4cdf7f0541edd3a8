import type { EdmType } from '../../protocol/values/edm.js';
import { ownText, remember, rememberedLast } from '../../remembered.js';
import { escapeForJson } from './json-text.js';

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

/** Returns the second of a Timestamp as it stands in an ETag. */
const escapeSecond = rememberedLast((second: string) => second.replaceAll(':', '%3A'));

/** Length of a Timestamp without the parts of a second. */
const secondLength = 19;

/** Returns a Timestamp as it stands in an ETag. */
function escapeTimestamp(timestamp: string): string {
  return escapeSecond(timestamp.slice(0, secondLength)) + timestamp.slice(secondLength);
}

/**
 * Returns the text of an entity, as stored and sent. `timestamp` is canonical UTC text. `members` is the text of all properties,
 * each after its comma, if it is known.
 */
export function writeEntityText(
  key: EntityKey,
  timestamp: string,
  properties: readonly Property[],
  members?: string,
): EntityText {
  const [partitionKey, rowKey] = [escapeForJson(key.partitionKey), escapeForJson(key.rowKey)];
  let text = `${etagStart}${escapeTimestamp(timestamp)}'\\"","PartitionKey":"${partitionKey}","RowKey":"${rowKey}","Timestamp":"${timestamp}"`;
  if (members !== undefined) return `${text}${members}}`;
  for (const property of properties) text += startOfMember(property) + property.json;
  return `${text}}`;
}

/**
 * Returns a member of an entity's text: a comma, the type annotation if JSON does not imply the type, and the property.
 * `member` is the name escaped for JSON, without quotes.
 */
export function writeMember(member: string, type: EdmType, json: string): string {
  return writeStart(member, annotationOf(type, json)) + json;
}

/** Returns a member of an entity's text up to its value. */
function writeStart(member: string, annotated: EdmType | undefined): string {
  return annotated === undefined ? `,"${member}":` : `,"${member}@odata.type":"${annotated}","${member}":`;
}

/** Number of cached property names. (Our choice: a program has some hundreds.) */
const namesMax = 1024;

/** Cache of the last start of each property's member. */
const starts = remember<{ readonly annotated: EdmType | undefined; readonly start: string }>(namesMax);

/** Returns the text of a property up to its value, with the comma before it. */
export function startOfMember({ name, type, json }: Omit<Property, 'valueBytes'>): string {
  const annotated = annotationOf(type, json);
  const known = starts.get(name);
  if (known !== undefined && known.annotated === annotated) return known.start;
  const member = escapeForJson(name);
  const start = writeStart(member, annotated);
  // Escaped names are too rare to cache.
  if (member !== name) return start;
  starts.set(name, { annotated, start: ownText(start) });
  return start;
}

/** Returns the type if answers annotate it: always for four types, and for a Double that is NaN or infinite. */
function annotationOf(type: EdmType, json: string): EdmType | undefined {
  if (type === 'Edm.Double') return json.startsWith('"') ? type : undefined;
  return type === 'Edm.Int64' || type === 'Edm.DateTime' || type === 'Edm.Guid' || type === 'Edm.Binary'
    ? type
    : undefined;
}

/** Returns the ETag of an entity with this Timestamp, in the form of the `ETag` header. `timestamp` is canonical UTC text. */
export function writeEtag(timestamp: string): string {
  return `W/"datetime'${escapeTimestamp(timestamp)}'"`;
}

/** Returns the ETag of a stored entity in the form of the `ETag` header. */
export function etagOf(text: EntityText): string {
  return `W/"datetime'${text.slice(etagStart.length, text.indexOf("'", etagStart.length))}'"`;
}
