import { type EdmType, isEdmType } from '../../protocol/values/edm.js';
import { isSpecialDouble, literalOf, type Value } from './value.js';

/** An entity from the service. */
export interface Entity {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly timestamp: string;
  readonly etag: string;
  /** Its own properties, in the order of the answer. A missing property is not in the map. */
  readonly properties: ReadonlyMap<string, Value>;
}

/** The keys of an entity. */
export type EntityKeys = Pick<Entity, 'partitionKey' | 'rowKey'>;

/** The columns that every entity has. */
export const systemColumns = ['PartitionKey', 'RowKey', 'Timestamp'] as const;

/** Returns the value of a column; undefined if the entity has no such property. */
export function propertyOf(entity: Entity, column: string): Value | undefined {
  if (column === 'PartitionKey') return { type: 'Edm.String', text: entity.partitionKey };
  if (column === 'RowKey') return { type: 'Edm.String', text: entity.rowKey };
  if (column === 'Timestamp') return { type: 'Edm.DateTime', text: entity.timestamp };
  return entity.properties.get(column);
}

/** Returns the keys of an entity as one string, for maps and sets. Keys have no control characters. */
export function idOf({ partitionKey, rowKey }: EntityKeys): string {
  return `${partitionKey}\u0000${rowKey}`;
}

/** Returns whether an entity comes after another one in a table. */
export function isAfter(one: EntityKeys, other: EntityKeys): boolean {
  return one.partitionKey === other.partitionKey ? one.rowKey > other.rowKey : one.partitionKey > other.partitionKey;
}

/** Returns a filter that matches exactly one entity. */
export function filterOfKeys({ partitionKey, rowKey }: EntityKeys): string {
  const quoted = (text: string) => literalOf({ type: 'Edm.String', text });
  return `(PartitionKey eq ${quoted(partitionKey)} and RowKey eq ${quoted(rowKey)})`;
}

/** Matches each string and each number of a text in JSON. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses JSON of the service. A number with a point or an exponent becomes a list with its text, because `JSON.parse` cannot tell
 * the Double 1.0 from the Int32 1. No value of an entity is a list otherwise.
 */
export function parseServiceJson(text: string): unknown {
  return JSON.parse(
    text.replace(tokens, (token) => (token.startsWith('"') || !/[.eE]/.test(token) ? token : `["${token}"]`)),
  );
}

/** Reads an entity with minimal metadata, as `parseServiceJson` returns it. */
export function readEntity(row: object, etag = ''): Entity {
  const members = new Map<string, unknown>(Object.entries(row));
  const textOf = (name: string) => String(members.get(name) ?? '');
  const properties = new Map<string, Value>();
  for (const [name, member] of members) {
    if (name.includes('odata.') || systemColumns.some((column) => column === name)) continue;
    const value = readMember(member, members.get(`${name}@odata.type`));
    if (value) properties.set(name, value);
  }
  return {
    partitionKey: textOf('PartitionKey'),
    rowKey: textOf('RowKey'),
    timestamp: textOf('Timestamp'),
    etag: textOf('odata.etag') || etag,
    properties,
  };
}

/** Reads a value. Null stands for a missing property. */
function readMember(member: unknown, annotation: unknown): Value | undefined {
  if (member === null || member === undefined) return undefined;
  const text = Array.isArray(member) ? String(member[0]) : String(member);
  if (typeof annotation === 'string' && isEdmType(annotation)) return { type: annotation, text };
  return { type: Array.isArray(member) ? 'Edm.Double' : (typesOfJson.get(typeof member) ?? 'Edm.String'), text };
}

const typesOfJson: ReadonlyMap<string, EdmType> = new Map([
  ['boolean', 'Edm.Boolean'],
  ['number', 'Edm.Int32'],
]);

/** Writes properties as a body for the service. Types that JSON does not imply are annotated. */
export function writeBody(properties: ReadonlyMap<string, Value>, keys: EntityKeys): string {
  return `{${writeMembers(properties, keys).map(([name, json]) => `${name}:${json}`)}}`;
}

/** Writes an entity like `writeBody`, with each member on its own line. */
export function writeLines(properties: ReadonlyMap<string, Value>, keys: EntityKeys): string {
  const lines = writeMembers(properties, keys).map(([name, json]) => `  ${name}: ${json}`);
  return `{\n${lines.join(',\n')}\n}`;
}

function writeMembers(properties: ReadonlyMap<string, Value>, keys: EntityKeys): (readonly [string, string])[] {
  const [partition, row] = [JSON.stringify(keys.partitionKey), JSON.stringify(keys.rowKey)];
  const members = [...properties].flatMap(([name, value]) => [
    ...(isPlain(value) ? [] : [[JSON.stringify(`${name}@odata.type`), `"${value.type}"`] as const]),
    [JSON.stringify(name), jsonOf(value)] as const,
  ]);
  return [['"PartitionKey"', partition], ['"RowKey"', row], ...members];
}

function isPlain({ type }: Value): boolean {
  return type === 'Edm.String' || type === 'Edm.Boolean' || type === 'Edm.Int32';
}

function jsonOf({ type, text }: Value): string {
  const isBare = type === 'Edm.Boolean' || type === 'Edm.Int32' || (type === 'Edm.Double' && !isSpecialDouble(text));
  return isBare ? text : JSON.stringify(text);
}
