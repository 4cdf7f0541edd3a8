import { inputTexts, TableError } from '../protocol/errors.js';
import { hasForbiddenKeyCharacter, isPropertyName } from '../protocol/names.js';
import type { Property } from './entity.js';
import { readJsonString } from './json-text.js';
import { type JsonToken, readJsonObject } from './read-json.js';
import { readValue } from './read-value.js';

/** An entity as a request sent it. A key that the body does not have, or has as null, is absent. */
export interface SentEntity {
  readonly partitionKey?: string;
  readonly rowKey?: string;
  /** In written order, nulls dropped. */
  readonly properties: readonly Property[];
}

const typeSuffix = '@odata.type';

/**
 * Reads the JSON body of a write.
 *
 * The faults are those the service finds while it reads, in the order of the text: a name given twice, a bad name, a
 * value that does not fit its type, then keys that are no strings and keys with forbidden characters. `Timestamp` is
 * skipped whatever it holds; annotations may stand anywhere; other `odata.` members are not looked at.
 *
 * Errors: InvalidInput, DuplicatePropertiesSpecified, PropertyNameInvalid, OutOfRangeInput (all early).
 * Source: checks-order, ladder 6, steps 2 to 5; data model, sections 2 and 3.
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
 * Refuses keys that the service does not store. `named` tells which message: an insert names the key at fault, a key
 * of the address does not.
 *
 * Errors: OutOfRangeInput (early). Source: data model, "Keys".
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
    throw new TableError('OutOfRangeInput', named ? { message: inputTexts.outOfRange(name, value) } : {});
  }
}
