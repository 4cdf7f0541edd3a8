import { TableError } from '../../protocol/errors.js';
import { isPropertyName } from '../../protocol/names.js';
import type { Property } from '../stored/entity.js';
import { readJsonString } from '../stored/json-text.js';
import { type JsonMember, type JsonToken, readJsonObject } from './read-json.js';
import { readValue } from './read-value.js';
import type { SentEntity } from './sent-entity.js';

const typeSuffix = '@odata.type';

/**
 * Parses the JSON body of a write. `stringUnitsMax` is that of `readValue`; without it, every string is encoded.
 *
 * Reports the faults that the service finds while it reads a body. A name given twice comes first; then, in the order
 * of the text, an invalid name or a value that does not match its type; then a key that is not a string. `Timestamp`
 * and members that start with `odata.` are ignored. A type annotation may be anywhere in the body.
 *
 * Errors: InvalidInput, DuplicatePropertiesSpecified, PropertyNameInvalid, OutOfRangeInput (all early).
 * Source: checks-order 6 steps 2 to 5; data-model 2; data-model 3.
 */
export function readEntity(body: string, stringUnitsMax?: number): SentEntity {
  const { values, types } = splitMembers(body);
  return readMembers(values, types, stringUnitsMax);
}

/** Parses a JSON body into the values of an entity and the annotations of their types. Errors: InvalidInput. */
export function splitMembers(body: string): {
  readonly values: readonly JsonMember[];
  readonly types: readonly JsonMember[];
} {
  const values: JsonMember[] = [];
  const types: JsonMember[] = [];
  for (const member of readJsonObject(body)) {
    const { name, token } = member;
    if (name.startsWith('odata.')) continue;
    if (!name.includes('@')) values.push(member);
    else if (name.endsWith(typeSuffix)) types.push({ name: name.slice(0, -typeSuffix.length), token });
  }
  return { values, types };
}

/**
 * Reads the values of an entity, each a member of a JSON object. `types` has annotations by the name that they are about.
 * Any format of a body ends here.
 *
 * Errors: as `readEntity`.
 */
export function readMembers(
  values: readonly JsonMember[],
  types: readonly JsonMember[],
  stringUnitsMax?: number,
): SentEntity {
  const twice = findTwice(values) ?? findTwice(types);
  if (twice !== undefined) {
    throw new TableError('DuplicatePropertiesSpecified', { evidence: () => ({ check: 'property', property: twice }) });
  }

  const typeOf = types.length === 0 ? () => undefined : lookUp(types);
  const properties: Property[] = [];
  for (const { name, token } of values) {
    if (name === 'PartitionKey' || name === 'RowKey' || name === 'Timestamp') continue;
    if (!isPropertyName(name)) {
      throw new TableError('PropertyNameInvalid', {
        variant: { name: 'property-name', property: name },
        evidence: () => ({ check: 'property', property: name }),
      });
    }
    if (token.kind === 'null') continue;
    if (token.kind === 'nested') throw unreadable(name);
    properties.push(readValue(name, token, readType(name, typeOf(name)), stringUnitsMax));
  }
  const tokenOf = lookUp(values);
  const readKeyOf = (key: 'PartitionKey' | 'RowKey') => readKey(key, tokenOf(key), typeOf(key));
  const partitionKey = readKeyOf('PartitionKey');
  const rowKey = readKeyOf('RowKey');
  return { partitionKey, rowKey, properties };
}

/** Returns the error for a property whose value is a list or an object. */
function unreadable(property: string): TableError {
  return new TableError('InvalidInput', { evidence: () => ({ check: 'property', property }) });
}

/** Up to this number of names a list is faster than a map. */
const listedMax = 24;

/** Returns a name that is given twice. */
function findTwice(members: readonly JsonMember[]): string | undefined {
  const names = members.map(({ name }) => name);
  if (names.length <= listedMax) return names.find((name, at) => names.indexOf(name) < at);
  const seen = new Set<string>();
  return names.find((name) => seen.has(name) || !seen.add(name));
}

/** Returns a function that finds a member by its name. */
function lookUp(members: readonly JsonMember[]): (name: string) => JsonToken | undefined {
  if (members.length <= listedMax) return (wanted) => members.find(({ name }) => name === wanted)?.token;
  const tokens = new Map(members.map(({ name, token }) => [name, token]));
  return (wanted) => tokens.get(wanted);
}

function readType(property: string, token: JsonToken | undefined): string | undefined {
  if (token === undefined || token.kind === 'null') return undefined;
  if (token.kind !== 'string') {
    throw new TableError('InvalidInput', { evidence: () => ({ check: 'annotation', property }) });
  }
  return readJsonString(token.json);
}

function readKey(
  key: 'PartitionKey' | 'RowKey',
  token: JsonToken | undefined,
  annotation: JsonToken | undefined,
): string | undefined {
  if (token === undefined || token.kind === 'null') return undefined;
  const type = readType(key, annotation);
  if (token.kind !== 'string' || (type !== undefined && type !== 'Edm.String')) {
    throw new TableError('InvalidInput', { evidence: () => ({ check: 'key-type', key, type }) });
  }
  return readJsonString(token.json);
}
