import { type EdmType, isEdmType } from '../../protocol/values/edm.js';
import type { EntityText, Property } from './entity.js';
import { readJsonString, writeJsonString } from './json-text.js';

/** A value in the text of an entity. `json` is canonical. */
export interface StoredValue {
  readonly type: EdmType;
  readonly json: string;
}

const annotation = '@odata.type":"';
// Characters, as `charCodeAt` returns them.
const quote = 34;
const backslash = 92;
const closingBrace = 125;

/**
 * Returns a function that finds one property, which may be a system property, in an entity's text without parsing the
 * rest. It returns undefined if the entity does not have the property.
 *
 * In `{…,"L@odata.type":"Edm.Int64","L":"5"}` it finds L by its annotation, in `{…,"A":1}` it finds A by its name.
 * This is safe because every quote inside a JSON string follows a backslash: `,"name"` can only be the name of a
 * member.
 */
export function propertyReader(name: string): (text: EntityText) => StoredValue | undefined {
  const needle = `,${writeJsonString(name).slice(0, -1)}`;
  return (text) => {
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
      const nameEnd = at + needle.length;
      if (text.charCodeAt(nameEnd) === quote) return readValue(text, nameEnd + 2, undefined, name === 'Timestamp');
      if (text.startsWith(annotation, nameEnd)) {
        const type = text.slice(nameEnd + annotation.length, text.indexOf('"', nameEnd + annotation.length));
        // The annotation is followed by `","name":`.
        const value = nameEnd + annotation.length + type.length + 2 + (needle.length - 1) + 2;
        return readValue(text, value, type, false);
      }
    }
    return undefined;
  };
}

function readValue(text: string, at: number, annotated: string | undefined, dateTime: boolean): StoredValue {
  const json = text.slice(at, valueEnd(text, at));
  if (annotated !== undefined && isEdmType(annotated)) return { type: annotated, json };
  return { type: dateTime ? 'Edm.DateTime' : typeOf(json), json };
}

function valueEnd(text: string, at: number): number {
  if (text.charCodeAt(at) === quote) {
    let end = text.indexOf('"', at + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    return end + 1;
  }
  const comma = text.indexOf(',', at);
  return comma < 0 ? text.length - 1 : comma;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === backslash) first--;
  return (at - first) % 2 === 1;
}

/** Returns the type of a value without annotation. Canonical doubles always have a fraction or an exponent. */
function typeOf(json: string): EdmType {
  const first = json[0];
  if (first === '"') return 'Edm.String';
  if (first === 't' || first === 'f') return 'Edm.Boolean';
  return json.includes('.') || json.includes('E') ? 'Edm.Double' : 'Edm.Int32';
}

/** Returns all values of a stored entity by name, system properties included. */
export function readValues(text: EntityText): ReadonlyMap<string, StoredValue> {
  const values = new Map<string, StoredValue>();
  readMembers(text, text.indexOf(',"PartitionKey":"'), (name, value) => {
    values.set(name, name === 'Timestamp' ? { type: 'Edm.DateTime', json: value.json } : value);
  });
  return values;
}

/** The places of the keys in a stored text. No client can write a name that begins with `odata.`. */
const keyPlaces = /,"odata\.(?:PartitionKey|RowKey)":true/g;

/** Returns a stored text, or the end of one, without the places of its keys, which no client sees. */
export function withoutKeyPlaces(text: EntityText): EntityText {
  // No name of a member can be in a value, where every quote follows a backslash.
  return text.includes(',"odata.') ? text.replace(keyPlaces, '') : text;
}

/** Returns all custom properties of a stored entity, in stored order. */
export function readProperties(text: EntityText): Property[] {
  const properties: Property[] = [];
  // The custom properties begin after the Timestamp, whose text has no quotes.
  const timestamp = text.indexOf(',"Timestamp":"') + ',"Timestamp":"'.length;
  readMembers(text, text.indexOf('"', timestamp) + 1, (name, { type, json }) => {
    properties.push({ name, type, json, valueBytes: storedValueBytes(type, json) });
  });
  return properties;
}

/** Reads the members of an entity's text, beginning with the comma at `at`. */
function readMembers(text: EntityText, at: number, take: (name: string, value: StoredValue) => void): void {
  let next = at;
  while (text.charCodeAt(next) !== closingBrace) {
    const nameEnd = text.indexOf('"', next + 2);
    let json = text.slice(next + 1, nameEnd + 1);
    let valueAt = nameEnd + 2;
    let type: EdmType | undefined;
    if (json.endsWith('@odata.type"')) {
      json = `${json.slice(0, -'@odata.type"'.length)}"`;
      const typeEnd = text.indexOf('"', valueAt + 1);
      const annotated = text.slice(valueAt + 1, typeEnd);
      if (isEdmType(annotated)) type = annotated;
      valueAt = typeEnd + 2 + json.length + 1;
    }
    next = valueEnd(text, valueAt);
    const value = text.slice(valueAt, next);
    take(readJsonString(json), { type: type ?? typeOf(value), json: value });
  }
}

/** Returns the size of a canonical value in the service's formula, in bytes. Source: data-model 4. */
export function storedValueBytes(type: EdmType, json: string): number {
  switch (type) {
    case 'Edm.String':
      return 2 * readJsonString(json).length + 4;
    case 'Edm.Binary':
      return base64Bytes(json.length - 2, json) + 4;
    case 'Edm.Guid':
      return 16;
    case 'Edm.Int32':
      return 4;
    case 'Edm.Boolean':
      return 1;
    default:
      return 8;
  }
}

function base64Bytes(length: number, json: string): number {
  const padding = json.endsWith('=="') ? 2 : json.endsWith('="') ? 1 : 0;
  return (length / 4) * 3 - padding;
}
