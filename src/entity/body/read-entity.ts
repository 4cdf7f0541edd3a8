import { TableError } from '../../protocol/errors.js';
import { isPropertyName } from '../../protocol/names.js';
import type { Property } from '../stored/entity.js';
import { readJsonString } from '../stored/json-text.js';
import { type JsonMember, readJsonObject } from './read-json.js';
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
 * Errors: InvalidInput, TooManyProperties, EntityTooLarge, DuplicatePropertiesSpecified, PropertyNameInvalid, OutOfRangeInput (all
 * early).
 * Source: checks-order 6 steps 2 to 5; data-model 2; data-model 3.
 */
export function readEntity(body: string, stringUnitsMax?: number): SentEntity {
  const { values, types } = splitMembers(readJsonObject(body));
  return readMembers(values, types, stringUnitsMax);
}

/** Splits the members of a body into the values of an entity and the annotations of their types. */
export function splitMembers(members: readonly JsonMember[]): {
  readonly values: readonly JsonMember[];
  readonly types: readonly JsonMember[];
} {
  const values: JsonMember[] = [];
  const types: JsonMember[] = [];
  for (const member of members) {
    const { name, kind, json } = member;
    if (name.startsWith('odata.')) continue;
    if (!name.includes('@')) values.push(member);
    else if (name.endsWith(typeSuffix)) types.push({ name: name.slice(0, -typeSuffix.length), kind, json });
  }
  return { values, types };
}

/**
 * Reads the values of an entity, in any format, as members of a JSON object. `types` has the annotations by property name.
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

  const typeOf = types.length === 0 ? undefined : lookUp(types);
  const properties: Property[] = [];
  let partitionKey: JsonMember | undefined;
  let rowKey: JsonMember | undefined;
  for (const member of values) {
    const { name, kind } = member;
    if (name === 'PartitionKey') partitionKey = member;
    else if (name === 'RowKey') rowKey = member;
    else if (name !== 'Timestamp') {
      if (!isPropertyName(name)) {
        throw new TableError('PropertyNameInvalid', {
          variant: { name: 'property-name', property: name },
          evidence: () => ({ check: 'property', property: name }),
        });
      }
      if (kind === 'nested') throw unreadable(name);
      if (kind !== 'null') properties.push(readValue(member, typeOf && readType(typeOf(name)), stringUnitsMax));
    }
  }
  return {
    partitionKey: readKey('PartitionKey', partitionKey, typeOf),
    rowKey: readKey('RowKey', rowKey, typeOf),
    properties,
  };
}

/** Returns the error for a property whose value is a list or an object. */
function unreadable(property: string): TableError {
  return new TableError('InvalidInput', { evidence: () => ({ check: 'property', property }) });
}

/** Up to this number of names, a list is faster than a map. */
const listedMax = 24;

function findTwice(members: readonly JsonMember[]): string | undefined {
  if (members.length > listedMax) {
    const seen = new Set<string>();
    return members.find(({ name }) => seen.has(name) || !seen.add(name))?.name;
  }
  for (let at = 1; at < members.length; at++) {
    const name = members[at]?.name;
    for (let before = 0; before < at; before++) if (members[before]?.name === name) return name;
  }
  return undefined;
}

type TypeOf = (name: string) => JsonMember | undefined;

function lookUp(members: readonly JsonMember[]): TypeOf {
  if (members.length <= listedMax) return (wanted) => members.find(({ name }) => name === wanted);
  const named = new Map(members.map((member) => [member.name, member]));
  return (wanted) => named.get(wanted);
}

/** Returns the type that an annotation names, if there is one. Errors: InvalidInput for one that is not a string. */
function readType(annotation: JsonMember | undefined): string | undefined {
  if (annotation === undefined || annotation.kind === 'null') return undefined;
  const { name: property, kind, json } = annotation;
  if (kind !== 'string') throw new TableError('InvalidInput', { evidence: () => ({ check: 'annotation', property }) });
  return readJsonString(json);
}

/** Returns a key; undefined if it is missing. Errors: InvalidInput for one that is not a string. */
function readKey(
  key: 'PartitionKey' | 'RowKey',
  member: JsonMember | undefined,
  typeOf: TypeOf | undefined,
): string | undefined {
  if (member === undefined || member.kind === 'null') return undefined;
  const { kind, json } = member;
  const type = typeOf && readType(typeOf(key));
  if (kind !== 'string' || (type !== undefined && type !== 'Edm.String')) {
    throw new TableError('InvalidInput', { evidence: () => ({ check: 'key-type', key, type }) });
  }
  return readJsonString(json);
}
