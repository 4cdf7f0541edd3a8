import { entityBytesMax, entityPropertiesMax, keyUnitsMax, propertyNameUnitsMax } from '../../protocol/limits.js';
import { hasForbiddenKeyCharacter, isPropertyName } from '../../protocol/names.js';
import type { EdmType } from '../../protocol/values/edm.js';
import { type Entity, type EntityKeys, systemColumns } from '../base/entity.js';
import { binaryBytes, faultOf, type Value } from '../base/value.js';

/** A property in the form. A property outside the form does not exist, unlike an empty one. */
export interface Field extends Value {
  /** Identifies the field while its name changes. */
  readonly id: number;
  readonly name: string;
}

/** The table that an entity is in. A draft names it, so that no save goes elsewhere. */
export interface DraftPlace {
  readonly account: string;
  readonly table: string;
}

/** An entity while it is edited. */
export interface Draft extends DraftPlace {
  /** Tells new entities apart. */
  readonly number: number;
  /** The PartitionKey that a new entity began with. */
  readonly offeredPartition: string;
  /** The entity as it was loaded; undefined for a new one. */
  readonly loaded: Entity | undefined;
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly fields: readonly Field[];
}

/** Drafts outlive a reload, with the numbers of their fields. */
let nextId = Date.now();

/** Returns the draft of an entity; `isNew` for a copy of it. */
export function draftOf({ account, table }: DraftPlace, entity: Entity, isNew = false): Draft {
  return {
    account,
    table,
    number: nextId++,
    offeredPartition: '',
    loaded: isNew ? undefined : entity,
    partitionKey: entity.partitionKey,
    rowKey: entity.rowKey,
    fields: [...entity.properties].map(([name, value]) => ({ id: nextId++, name, ...value })),
  };
}

/** Returns the draft of a new entity. `number` is that of a draft before a reload. */
export function emptyDraft({ account, table }: DraftPlace, partitionKey: string, number = nextId++): Draft {
  return {
    ...{ account, table, number, offeredPartition: partitionKey },
    ...{ loaded: undefined, partitionKey, rowKey: '', fields: [] },
  };
}

/** Returns a draft with an additional field. */
export function withField(draft: Draft, name = '', type: EdmType = 'Edm.String'): Draft {
  return { ...draft, fields: [...draft.fields, { id: nextId++, name, type, text: usualText(type) }] };
}

/** Returns a draft with a changed field. */
export function withChange(draft: Draft, id: number, change: Partial<Omit<Field, 'id'>>): Draft {
  return { ...draft, fields: draft.fields.map((field) => (field.id === id ? { ...field, ...change } : field)) };
}

/** Returns a draft without a field. */
export function withoutField(draft: Draft, id: number): Draft {
  return { ...draft, fields: draft.fields.filter((field) => field.id !== id) };
}

/** Whether saving two drafts writes different entities. */
export function differs(a: Draft, b: Draft): boolean {
  const written = ({ partitionKey, rowKey, fields }: Draft) =>
    JSON.stringify([partitionKey, rowKey, fields.map(({ name, type, text }) => [name, type, text])]);
  return written(a) !== written(b);
}

/** Returns the properties of a draft. */
export function propertiesOf({ fields }: Draft): ReadonlyMap<string, Value> {
  return new Map(fields.map(({ name, type, text }) => [name, { type, text }]));
}

/** Whether two values are the same property. Undefined: there is none. */
export function isSameValue(a: Value | undefined, b: Value | undefined): boolean {
  return a?.type === b?.type && a?.text === b?.text;
}

/** Returns the properties that a merge writes: those that differ from the entity as it was loaded. */
export function changedProperties(draft: Draft): ReadonlyMap<string, Value> {
  const before = draft.loaded?.properties;
  return new Map([...propertiesOf(draft)].filter(([name, value]) => !isSameValue(before?.get(name), value)));
}

/**
 * Puts the changes of a draft onto the entity as it is now. Returns the draft, and the names of the properties that both have changed,
 * each in its own way: there the draft has its own value.
 */
export function rebase(draft: Draft, theirs: Entity): { readonly draft: Draft; readonly overlap: readonly string[] } {
  const before = draft.loaded?.properties ?? new Map<string, Value>();
  const named = draft.fields.filter(
    ({ name }, at) => name !== '' && draft.fields.findIndex((one) => one.name === name) === at,
  );
  const mine = new Map(named.map((field) => [field.name, field]));
  const names = [...new Set([...theirs.properties.keys(), ...mine.keys()])];
  const isMine = (name: string) => !isSameValue(before.get(name), mine.get(name));
  const isTheirs = (name: string) => !isSameValue(before.get(name), theirs.properties.get(name));
  const fields = names.flatMap((name) => {
    const value = isMine(name) ? mine.get(name) : theirs.properties.get(name);
    return value ? [{ id: mine.get(name)?.id ?? nextId++, name, type: value.type, text: value.text }] : [];
  });
  // Properties that have no valid name yet.
  fields.push(...draft.fields.filter((field) => !named.includes(field)));
  const all = new Set([...before.keys(), ...names]);
  const overlap = [...all].filter(
    (name) => isMine(name) && isTheirs(name) && !isSameValue(mine.get(name), theirs.properties.get(name)),
  );
  return { draft: { ...draft, loaded: theirs, fields }, overlap };
}

/**
 * Returns a text as it was typed, with the line breaks that it had before: a field of the browser shows each of them as LF. Breaks that are
 * typed into a text with CR LF are CR LF.
 */
export function keepBreaks(before: string, typed: string): string {
  if (!before.includes('\r')) return typed;
  const breaks = before.match(/\r\n?|\n/g) ?? [];
  const shown = before.replace(/\r\n?/g, '\n');
  const most = Math.min(shown.length, typed.length);
  let start = 0;
  while (start < most && shown[start] === typed[start]) start++;
  let end = 0;
  while (end < most - start && shown.at(-1 - end) === typed.at(-1 - end)) end++;
  const [head, tail] = [typed.slice(0, start), typed.slice(typed.length - end)];
  const restore = (text: string, own: readonly string[]) => {
    let at = 0;
    return text.replace(/\n/g, () => own[at++] ?? '\n');
  };
  const rest =
    typed.slice(start, typed.length - end).replaceAll('\n', '\r\n') +
    restore(tail, breaks.slice(breaks.length - tail.split('\n').length + 1));
  // A lone CR and the LF after it would be one break.
  const begin = restore(head, breaks);
  return begin + (begin.endsWith('\r') && rest.startsWith('\n') ? '\n' : '') + rest;
}

/** Returns the keys of a draft. */
export function keysOf({ partitionKey, rowKey }: Draft): EntityKeys {
  return { partitionKey, rowKey };
}

/** Returns an error message for an invalid key; otherwise undefined. Source: data-model 2. */
export function keyFault(key: string): string | undefined {
  if (key.length > keyUnitsMax) return `A key has at most ${keyUnitsMax} characters.`;
  return hasForbiddenKeyCharacter(key) ? 'Keys cannot contain / \\ # ? or control characters.' : undefined;
}

/** Returns an error message for an invalid name of a field; otherwise undefined. Source: data-model 3.1. */
export function nameFault({ fields }: Draft, { id, name }: Field): string | undefined {
  if (!isPropertyName(name)) return 'Use letters, digits and _, not starting with a digit.';
  if (name.length > propertyNameUnitsMax) return `A name has at most ${propertyNameUnitsMax} characters.`;
  if (systemColumns.some((column) => column === name)) return 'The service reserves this name.';
  return fields.some((other) => other.id !== id && other.name === name) ? 'This name is already used.' : undefined;
}

/** Returns whether the service would accept a draft. */
export function isValid(draft: Draft): boolean {
  return (
    keyFault(draft.partitionKey) === undefined &&
    keyFault(draft.rowKey) === undefined &&
    draft.fields.length <= entityPropertiesMax &&
    bytesOf(draft) <= entityBytesMax &&
    draft.fields.every((field) => nameFault(draft, field) === undefined && faultOf(field) === undefined)
  );
}

/** Sizes of values of a fixed size. Unit: bytes. Source: data-model 4. */
const fixedBytes: Readonly<Partial<Record<EdmType, number>>> = {
  'Edm.Boolean': 1,
  'Edm.Int32': 4,
  'Edm.Int64': 8,
  'Edm.Double': 8,
  'Edm.DateTime': 8,
  'Edm.Guid': 16,
};

/** Returns the size of an entity by the formula of the service. Unit: bytes. Source: data-model 4. */
export function bytesOf({ partitionKey, rowKey, fields }: Draft): number {
  const bytes = fields.map(({ name, type, text }) => {
    const fixed = fixedBytes[type];
    const own = fixed ?? 4 + (type === 'Edm.Binary' ? binaryBytes(text) : text.length * 2);
    return 8 + name.length * 2 + own;
  });
  return bytes.reduce((sum, one) => sum + one, 4 + (partitionKey.length + rowKey.length) * 2);
}

/** Returns the initial text of a new value of a type. */
export function usualText(type: EdmType): string {
  if (type === 'Edm.Boolean') return 'false';
  if (type === 'Edm.DateTime') return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  if (type === 'Edm.Guid') return '00000000-0000-0000-0000-000000000000';
  return type === 'Edm.String' || type === 'Edm.Binary' ? '' : '0';
}
