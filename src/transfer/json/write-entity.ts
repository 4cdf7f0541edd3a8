import { type EntityText, writeMember } from '../../entity/stored/entity.js';
import { escapeForJson } from '../../entity/stored/json-text.js';
import { readProperties, withoutKeyPlaces } from '../../entity/stored/read-property.js';

const [keysAt, timestampAt] = [',"PartitionKey":"', ',"Timestamp":"'] as const;

/** Returns the writer of entities in JSON: as they are stored, without ETag and Timestamp. `select` has their properties. */
export function entityWriter(select: readonly string[] | undefined): (text: EntityText) => string {
  if (!select) return (text) => `{${keysOf(text)}${propertiesOf(text)}`;
  const names = new Set(select);
  return (text) => {
    const members = readProperties(text)
      .filter(({ name }) => names.has(name))
      .map(({ name, type, json }) => writeMember(escapeForJson(name), type, json));
    return `{${keysOf(text)}${members.join('')}}`;
  };
}

/** Returns the members of the keys. No name of a member can be in a value, where every quote follows a backslash. */
function keysOf(text: EntityText): string {
  return text.slice(text.indexOf(keysAt) + 1, text.indexOf(timestampAt));
}

/** Returns the members of the properties, with the comma before each, and the brace at the end. */
function propertiesOf(text: EntityText): string {
  const at = text.indexOf(timestampAt) + timestampAt.length;
  return withoutKeyPlaces(text.slice(text.indexOf('"', at) + 1));
}
