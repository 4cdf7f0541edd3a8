import { keyUnitsMax, propertyNameUnitsMax } from '../../protocol/limits.js';
import { hasForbiddenKeyCharacter, isPropertyName } from '../../protocol/names.js';
import { type EdmType, isEdmType } from '../../protocol/values/edm.js';
import { type EntityKeys, systemColumns } from './entity.js';
import { faultOf, type Value } from './value.js';

/** A fault of a text in JSON, at its place. Both numbers count from 1. */
export interface JsonFault {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** An entity that was read from JSON. Keys that the text leaves out are absent. */
export interface ReadJson {
  readonly keys: Partial<EntityKeys>;
  readonly properties: ReadonlyMap<string, Value>;
}

/** Returns an error message for an invalid key; otherwise undefined. Source: data-model 2. */
export function keyFault(key: string): string | undefined {
  if (key.length > keyUnitsMax) return `A key has at most ${keyUnitsMax} characters.`;
  return hasForbiddenKeyCharacter(key) ? 'Keys cannot contain / \\ # ? or control characters.' : undefined;
}

/** Returns an error message for an invalid name of a property; otherwise undefined. Source: data-model 3.1. */
export function propertyNameFault(name: string): string | undefined {
  if (!isPropertyName(name)) return 'Use letters, digits and _, not starting with a digit.';
  if (name.length > propertyNameUnitsMax) return `A name has at most ${propertyNameUnitsMax} characters.`;
  return systemColumns.some((column) => column === name) ? 'The service reserves this name.' : undefined;
}

/**
 * Reads an entity from JSON as the service writes it. Text that the service would store as another value is a fault, never that value.
 * `keys` are those of a stored entity, which cannot change.
 */
export function readStrictly(text: string, keys?: EntityKeys): ReadJson | { readonly fault: JsonFault } {
  try {
    return readMembers(scan(text), keys);
  } catch (error) {
    const { message, cause } = error as Error;
    if (typeof cause !== 'number') throw error;
    const before = text.slice(0, cause).split('\n');
    return { fault: { text: message, line: before.length, column: (before.at(-1) ?? '').length + 1 } };
  }
}

/** Ends the reading of a text at a place. */
function reject(at: number, text: string): never {
  throw new Error(text, { cause: at });
}

/** A member of the object: where its name and its value begin, and the value as it is written. */
interface Member {
  readonly name: string;
  readonly at: number;
  readonly value: string;
  readonly valueAt: number;
}

/** A string; a number or a word; or the sign where neither is. */
const tokens =
  /("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)\b)|[^ \t\r\n]/g;

/** Returns the members of the one object that a text is. */
function scan(text: string): readonly Member[] {
  const found = [...text.matchAll(tokens)].map(({ 0: sign, 1: string, 2: bare, index }) => {
    return { sign, string, value: string ?? bare, at: index };
  });
  const next = () => found.shift() ?? { sign: '', string: undefined, value: undefined, at: text.length };
  const take = (signs: readonly string[], wanted: string) => {
    const { sign, at } = next();
    return signs.includes(sign) ? sign : reject(at, wanted);
  };
  const members: Member[] = [];
  take(['{'], 'Write an object: { … }.');
  if (found[0]?.sign === '}') next();
  else
    do {
      const name = next();
      if (name.string === undefined) reject(name.at, 'Write the name of a property in double quotes.');
      take([':'], 'Write a colon after the name.');
      const { sign, value, at } = next();
      if (value === undefined) reject(at, wrongValue(sign));
      members.push({ name: JSON.parse(name.string), at: name.at, value, valueAt: at });
    } while (take([',', '}'], 'Write a comma or a closing brace.') === ',');
  take([''], 'The entity ends before this.');
  return members;
}

function wrongValue(sign: string): string {
  if (sign === '{') return 'A property cannot be an object. Write its JSON as a string.';
  if (sign === '[') return 'A property cannot be a list. Write its JSON as a string.';
  return 'Write a string in double quotes, a number, true or false.';
}

const annotationEnd = '@odata.type';

function readMembers(members: readonly Member[], stored: EntityKeys | undefined): ReadJson {
  const all = new Map<string, Member>();
  for (const member of members) {
    if (all.has(member.name)) reject(member.at, `${member.name} is already above.`);
    all.set(member.name, member);
  }
  const keys: { -readonly [Name in keyof EntityKeys]?: string } = {};
  const properties = new Map<string, Value>();
  for (const member of members) {
    const { name, at, value, valueAt } = member;
    const key = name === 'PartitionKey' ? 'partitionKey' : name === 'RowKey' ? 'rowKey' : undefined;
    if (key) keys[key] = readKey(member, stored?.[key]);
    else if (name.endsWith(annotationEnd)) {
      const annotated = name.slice(0, -annotationEnd.length);
      if (!all.has(annotated)) reject(at, `There is no property ${annotated}.`);
      if (!isEdmType(String(JSON.parse(value)))) reject(valueAt, `The service has no type ${value}.`);
    } else {
      const fault = propertyNameFault(name);
      if (fault !== undefined) reject(at, fault);
      properties.set(name, readValue(member, all.get(name + annotationEnd)));
    }
  }
  return { keys, properties };
}

function readKey({ name, value, valueAt }: Member, stored: string | undefined): string {
  const key = JSON.parse(value);
  if (typeof key !== 'string') reject(valueAt, `${name} is a string.`);
  if (stored === key) return key;
  const isFixed = `The ${name} of a stored entity stays ${JSON.stringify(stored)}. Clone it for another one.`;
  const fault = stored === undefined ? keyFault(key) : isFixed;
  if (fault !== undefined) reject(valueAt, fault);
  return key;
}

function readValue({ name, value, valueAt }: Member, annotation: Member | undefined): Value {
  const parsed = JSON.parse(value);
  const named = annotation && (JSON.parse(annotation.value) as EdmType);
  if (parsed === null) reject(valueAt, 'No property is null. Leave it out to remove it.');
  const isText = typeof parsed === 'string';
  const type = named ?? (isText ? 'Edm.String' : typeof parsed === 'boolean' ? 'Edm.Boolean' : numberType(value));
  const read = { type, text: isText ? parsed : value };
  const allowed: readonly EdmType[] = typeof parsed === 'boolean' ? ['Edm.Boolean'] : ['Edm.Int32', 'Edm.Double'];
  if (!isText && !allowed.includes(type)) {
    reject(valueAt, `An ${type} is written in double quotes, so that all of it stays.`);
  }
  const fault = faultOf(read);
  if (fault === undefined) return read;
  const hint =
    named || type !== 'Edm.Int32' ? '' : ` For an Int64, write "${name}${annotationEnd}": "Edm.Int64" and quotes.`;
  reject(valueAt, fault + hint);
}

function numberType(text: string): EdmType {
  return /[.eE]/.test(text) ? 'Edm.Double' : 'Edm.Int32';
}
