import { keyUnitsMax, propertyNameUnitsMax } from '../../protocol/limits.js';
import { hasForbiddenKeyCharacter, isPropertyName } from '../../protocol/names.js';
import { type EdmType, isEdmType } from '../../protocol/values/edm.js';
import { type EntityKeys, systemColumns, writeBody } from './entity.js';
import { faultOf, type Value } from './value.js';

/** A fault of a text in JSON, at its place. */
export interface JsonFault {
  readonly text: string;
  /** Position in the text. Unit: UTF-16 code units. */
  readonly at: number;
  /** Both count from 1. */
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

/** Writes an entity like `writeBody`, with each member on its own line. */
export function writeLines(properties: ReadonlyMap<string, Value>, keys: EntityKeys): string {
  const members =
    writeBody(properties, keys)
      .slice(1, -1)
      .match(/"(?:[^"\\]|\\.)*":(?:"(?:[^"\\]|\\.)*"|[^,]*)/g) ?? [];
  return `{\n${members.map((member) => `  ${member.replace(/^("(?:[^"\\]|\\.)*"):/, '$1: ')}`).join(',\n')}\n}`;
}

/** A member of the object: where its name and its value begin, and the value as it is written. */
interface Member {
  readonly name: string;
  readonly at: number;
  readonly value: string;
  readonly valueAt: number;
}

/** Ends the reading of a text. */
class Rejection extends Error {
  readonly at: number;

  constructor(at: number, text: string) {
    super(text);
    this.at = at;
  }
}

/**
 * Reads an entity from JSON as the service writes it. Text that the service would store as another value is a fault, never that value.
 * `keys` are those of a stored entity, which cannot change.
 */
export function readStrictly(text: string, keys?: EntityKeys): ReadJson | { readonly fault: JsonFault } {
  try {
    return readMembers(scan(text), keys);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    const before = text.slice(0, error.at).split('\n');
    const place = { at: error.at, line: before.length, column: (before.at(-1) ?? '').length + 1 };
    return { fault: { text: error.message, ...place } };
  }
}

const space = /[ \t\r\n]*/y;
const stringToken = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const bareToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)\b/y;

/** Returns the members of the one object that a text is. */
function scan(text: string): readonly Member[] {
  let at = 0;
  const take = (token: RegExp): string | undefined => {
    token.lastIndex = at;
    const [found] = token.exec(text) ?? [];
    at += found?.length ?? 0;
    return found;
  };
  const expect = (sign: string, wanted: string) => {
    take(space);
    if (text[at] !== sign) throw new Rejection(at, wanted);
    at++;
  };
  const members: Member[] = [];
  expect('{', 'Write an object: { … }.');
  take(space);
  if (text[at] === '}') at++;
  else
    do {
      take(space);
      const nameAt = at;
      const name = take(stringToken);
      if (name === undefined) throw new Rejection(at, 'Write the name of a property in double quotes.');
      expect(':', 'Write a colon after the name.');
      take(space);
      const valueAt = at;
      const value = take(stringToken) ?? take(bareToken);
      if (value === undefined) throw new Rejection(at, wrongValue(text[at]));
      members.push({ name: JSON.parse(name), at: nameAt, value, valueAt });
      take(space);
    } while (text[at] === ',' && ++at);
  if (members.length > 0) expect('}', 'Write a comma or a closing brace.');
  take(space);
  if (at < text.length) throw new Rejection(at, 'The entity ends before this.');
  return members;
}

function wrongValue(sign: string | undefined): string {
  if (sign === '{') return 'A property cannot be an object. Write its JSON as a string.';
  if (sign === '[') return 'A property cannot be a list. Write its JSON as a string.';
  return 'Write a string in double quotes, a number, true or false.';
}

const annotationEnd = '@odata.type';

function readMembers(members: readonly Member[], stored: EntityKeys | undefined): ReadJson {
  const all = new Map<string, Member>();
  for (const member of members) {
    if (all.has(member.name)) throw new Rejection(member.at, `${member.name} is already above.`);
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
      if (!all.has(annotated)) throw new Rejection(at, `There is no property ${annotated}.`);
      if (!isEdmType(String(parse(value)))) throw new Rejection(valueAt, `The service has no type ${value}.`);
    } else {
      const fault = propertyNameFault(name);
      if (fault !== undefined) throw new Rejection(at, fault);
      properties.set(name, readValue(member, all.get(name + annotationEnd)));
    }
  }
  return { keys, properties };
}

function readKey({ name, value, valueAt }: Member, stored: string | undefined): string {
  const key = parse(value);
  if (typeof key !== 'string') throw new Rejection(valueAt, `${name} is a string.`);
  if (stored === key) return key;
  const isFixed = `The ${name} of a stored entity stays ${JSON.stringify(stored)}. Clone it for another one.`;
  const fault = stored === undefined ? keyFault(key) : isFixed;
  if (fault !== undefined) throw new Rejection(valueAt, fault);
  return key;
}

function readValue({ name, value, valueAt }: Member, annotation: Member | undefined): Value {
  const parsed = parse(value);
  const named = annotation && (parse(annotation.value) as EdmType);
  if (parsed === null) throw new Rejection(valueAt, 'No property is null. Leave it out to remove it.');
  const isText = typeof parsed === 'string';
  const type = named ?? (isText ? 'Edm.String' : typeof parsed === 'boolean' ? 'Edm.Boolean' : numberType(value));
  const read = { type, text: isText ? parsed : value };
  const allowed: readonly EdmType[] = typeof parsed === 'boolean' ? ['Edm.Boolean'] : ['Edm.Int32', 'Edm.Double'];
  if (!isText && !allowed.includes(type)) {
    throw new Rejection(valueAt, `An ${type} is written in double quotes, so that all of it stays.`);
  }
  const fault = faultOf(read);
  if (fault === undefined) return read;
  const hint =
    named || type !== 'Edm.Int32' ? '' : ` For an Int64, write "${name}${annotationEnd}": "Edm.Int64" and quotes.`;
  throw new Rejection(valueAt, fault + hint);
}

function numberType(text: string): EdmType {
  return /[.eE]/.test(text) ? 'Edm.Double' : 'Edm.Int32';
}

function parse(token: string): unknown {
  return JSON.parse(token);
}
