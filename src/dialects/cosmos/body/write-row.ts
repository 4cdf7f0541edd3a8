import { type EntityText, etagOf, writeMember } from '../../../entity/stored/entity.js';
import { readJsonString } from '../../../entity/stored/json-text.js';
import { readValues, type StoredValue } from '../../../entity/stored/read-property.js';
import type { JsonRepresentation } from '../../../formats/representation.js';
import { entityPath } from '../links.js';
import { padInstant } from './instants.js';
import { arrangeProperties } from './key-places.js';

/** Returns the ETag of a stored entity in the form of the `ETag` header. Source: cosmos 3. */
export function etagOfRow(text: EntityText): string {
  return etagOf(text).replace(/'([^']*)'/, (_, instant: string) => `'${padInstant(instant)}'`);
}

/** What the members of an entity in an answer depend on. */
export interface RowForm extends JsonRepresentation {
  /** The selected properties; undefined for all. */
  readonly names: readonly string[] | undefined;
  /** The metadata URL of a single entity. Rows of a list have none. */
  readonly context?: string;
}

/**
 * Writes a stored entity as a JSON object: links and tags, then the properties in the order in which they were written, then
 * the Timestamp. Non-ASCII letters are not escaped. Source: cosmos 2.
 */
export function writeRow(text: EntityText, { level, links, names, context }: RowForm): string {
  const values = readValues(text);
  const members: string[] = [];
  if (level === 'fullmetadata') {
    const path = entityPath(links.table, keyText(values, 'PartitionKey'), keyText(values, 'RowKey'));
    members.push(member('odata.type', `${links.account}.${links.table}`));
    members.push(member('odata.id', `${links.base}/${path}`), member('odata.editLink', path));
  }
  if (level !== 'nometadata') {
    if (context !== undefined) members.push(member('odata.metadata', context));
    members.push(member('odata.etag', etagOfRow(text)));
  }
  for (const [name, value] of selectProperties(values, names)) {
    const named = JSON.stringify(name).slice(1, -1);
    const json = writeValue(value);
    members.push(level === 'nometadata' ? `"${named}":${json}` : writeMember(named, value.type, json).slice(1));
  }
  if (names === undefined || names.includes('Timestamp')) {
    if (level === 'fullmetadata') members.push(member('Timestamp@odata.type', 'Edm.DateTime'));
    members.push(member('Timestamp', padInstant(keyText(values, 'Timestamp'))));
  }
  return `{${members.join(',')}}`;
}

/** Returns the properties of an answer without the Timestamp. A selected one that the entity does not have is null, and last. */
function selectProperties(
  values: ReadonlyMap<string, StoredValue>,
  names: readonly string[] | undefined,
): readonly (readonly [string, StoredValue])[] {
  const all = arrangeProperties(values);
  if (names === undefined) return all;
  const missing = names.filter((name) => !values.has(name)).map((name) => [name, absent] as const);
  return [...all.filter(([name]) => names.includes(name)), ...missing];
}

const absent: StoredValue = { type: 'Edm.String', json: 'null' };

/** Writes a value: times with seven digits, letters beyond ASCII as they are. Source: cosmos 2; cosmos 3. */
function writeValue({ type, json }: StoredValue): string {
  if (type === 'Edm.DateTime') return `"${padInstant(json.slice(1, -1))}"`;
  return json.includes('\\u') ? JSON.stringify(readJsonString(json)) : json;
}

function member(name: string, value: string): string {
  return `"${name}":${JSON.stringify(value)}`;
}

function keyText(values: ReadonlyMap<string, StoredValue>, name: string): string {
  return readJsonString(values.get(name)?.json ?? '""');
}
