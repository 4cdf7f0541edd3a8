import { TableError } from '../protocol/errors.js';
import { hasForbiddenKeyCharacter, isPropertyName } from '../protocol/names.js';
import type { Property } from './entity.js';
import { readJsonString } from './json-text.js';
import { type JsonToken, readJsonObject } from './read-json.js';
import { readValue } from './read-value.js';

/** An entity as sent in a request. A key that is missing or null in the body is absent. */
export interface SentEntity {
  readonly partitionKey?: string;
  readonly rowKey?: string;
  /** In the order of the body, without nulls. */
  readonly properties: readonly Property[];
}

const typeSuffix = '@odata.type';

/**
 * Parses the JSON body of a write.
 *
 * Reports the faults that the service finds while it reads a body. A name given twice comes first; then, in the order
 * of the text, an invalid name or a value that does not match its type; then a key that is not a string. `Timestamp`
 * and members that start with `odata.` are ignored. A type annotation may be anywhere in the body.
 *
 * Errors: InvalidInput, DuplicatePropertiesSpecified, PropertyNameInvalid, OutOfRangeInput (all early).
 * Source: checks-order 6 steps 2 to 5; data-model 2; data-model 3.
 */
export function readEntity(body: string): SentEntity {
  const values = new Map<string, JsonToken>();
  const types = new Map<string, JsonToken>();
  for (const { name, token } of readJsonObject(body)) {
    if (name.startsWith('odata.')) continue;
    const annotationAt = name.indexOf('@');
    const target = annotationAt < 0 ? values : name.endsWith(typeSuffix) ? types : undefined;
    if (!target) continue;
    const subject = target === types ? name.slice(0, -typeSuffix.length) : name;
    if (target.has(subject)) throw new TableError('DuplicatePropertiesSpecified');
    target.set(subject, token);
  }

  const properties: Property[] = [];
  for (const [name, token] of values) {
    if (name === 'PartitionKey' || name === 'RowKey' || name === 'Timestamp') continue;
    if (!isPropertyName(name)) throw new TableError('PropertyNameInvalid');
    if (token.kind === 'null') continue;
    if (token.kind === 'nested') throw new TableError('InvalidInput');
    properties.push(readValue(name, token, readType(types.get(name))));
  }
  const partitionKey = readKey('PartitionKey', values, types);
  const rowKey = readKey('RowKey', values, types);
  return {
    ...(partitionKey === undefined ? {} : { partitionKey }),
    ...(rowKey === undefined ? {} : { rowKey }),
    properties,
  };
}

function readType(token: JsonToken | undefined): string | undefined {
  if (token === undefined || token.kind === 'null') return undefined;
  if (token.kind !== 'string') throw new TableError('InvalidInput');
  return readJsonString(token.json);
}

function readKey(
  name: 'PartitionKey' | 'RowKey',
  values: ReadonlyMap<string, JsonToken>,
  types: ReadonlyMap<string, JsonToken>,
): string | undefined {
  const token = values.get(name);
  if (token === undefined || token.kind === 'null') return undefined;
  const type = readType(types.get(name));
  if (token.kind !== 'string' || (type !== undefined && type !== 'Edm.String')) throw new TableError('InvalidInput');
  return readJsonString(token.json);
}

/**
 * Checks that keys contain only characters that the service stores. If `named` is true, the message names the key: the
 * service does so for a key in the body of an insert, but not for a key in the URL.
 *
 * Errors: OutOfRangeInput (early). Source: data-model 2.
 */
export function checkKeyCharacters(
  keys: { readonly partitionKey?: string; readonly rowKey?: string },
  named: boolean,
): void {
  for (const [name, value] of [
    ['PartitionKey', keys.partitionKey],
    ['RowKey', keys.rowKey],
  ] as const) {
    if (value === undefined || !hasForbiddenKeyCharacter(value)) continue;
    throw new TableError(
      'OutOfRangeInput',
      named ? { variant: { name: 'value-out-of-range', property: name, value } } : {},
    );
  }
}
