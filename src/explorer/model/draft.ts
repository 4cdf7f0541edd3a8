import { entityBytesMax, entityPropertiesMax } from '../../protocol/limits.js';
import type { EdmType } from '../../protocol/values/edm.js';
import type { Entity, EntityKeys } from '../base/entity.js';
import { type JsonFault, keyFault, propertyNameFault, readStrictly, writeLines } from '../base/strict-json.js';
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

/** Why the service did not save a draft. */
export interface Problem {
  readonly text: string;
  readonly code?: string;
  /** The rejected request, whose reason the journal has. */
  readonly requestId?: string | undefined;
  /** The entity as someone else has changed it meanwhile, at a property that the draft changes, too. */
  readonly theirs?: Entity | undefined;
  /** Whether someone else has deleted the entity. */
  readonly isGone?: boolean;
}

/** An entity while it is edited. */
export interface Draft extends DraftPlace {
  /** Tells new entities apart. */
  readonly number: number;
  /** The PartitionKey that a new entity began with. */
  readonly offeredPartition: string;
  /** The entity as it was loaded; undefined for a new one. */
  readonly loaded: Entity | undefined;
  /** Whether it was loaded without some of its properties, by a query with $select. A save of the whole entity needs them. */
  readonly isPartial?: boolean;
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly fields: readonly Field[];
  /** The text of the JSON view as it is typed. The fields have its values, unless it has a fault. */
  readonly json?: { readonly text: string; readonly fault?: JsonFault | undefined } | undefined;
  readonly problem?: Problem | undefined;
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

/** Returns a draft with other fields. Text in JSON that has the values of the old ones goes. */
function withFields(draft: Draft, fields: readonly Field[]): Draft {
  return { ...draft, fields, json: draft.json?.fault ? draft.json : undefined };
}

/** Returns a draft with an additional field. */
export function withField(draft: Draft, name = '', value: Value = { type: 'Edm.String', text: '' }): Draft {
  return withFields(draft, [...draft.fields, { id: nextId++, name, ...value }]);
}

/** Returns a draft with a changed field. */
export function withChange(draft: Draft, id: number, change: Partial<Omit<Field, 'id'>>): Draft {
  return withFields(
    draft,
    draft.fields.map((field) => (field.id === id ? { ...field, ...change } : field)),
  );
}

/** Returns a draft without a field. */
export function withoutField(draft: Draft, id: number): Draft {
  return withFields(
    draft,
    draft.fields.filter((field) => field.id !== id),
  );
}

/** Returns a draft with the value that a property had before it was changed or removed. */
export function withoutChange(draft: Draft, name: string): Draft {
  const before = draft.loaded?.properties.get(name);
  const others = withFields(
    draft,
    draft.fields.filter((field) => field.name !== name),
  );
  return before ? withField(others, name, before) : others;
}

/** Returns a draft with a key of the new entity. */
export function withKey(draft: Draft, name: keyof EntityKeys, text: string): Draft {
  return { ...withFields(draft, draft.fields), [name]: text, problem: undefined };
}

/** Returns the text of a draft in JSON: as it is typed, or as the service writes it, with each member on its own line. */
export function jsonOf(draft: Draft): string {
  return draft.json?.text ?? writeLines(propertiesOf(draft), keysOf(draft));
}

/** Returns a draft with a text in JSON. If the text has a fault, the fields stay as they are. */
export function withJson(draft: Draft, text: string): Draft {
  const read = readStrictly(text, draft.loaded && keysOf(draft));
  if ('fault' in read) return { ...draft, json: { text, fault: read.fault } };
  const before = new Map(draft.fields.map((field) => [field.name, field]));
  // In the old order: only the values count.
  const names = new Set([...before.keys()].filter((name) => read.properties.has(name)));
  for (const name of read.properties.keys()) names.add(name);
  const fields = [...names].flatMap((name) => {
    const value = read.properties.get(name);
    return value ? [{ id: before.get(name)?.id ?? nextId++, name, ...value }] : [];
  });
  return { ...draft, ...read.keys, fields, json: { text }, problem: undefined };
}

/** Whether saving two drafts writes different entities. */
export function differs(a: Draft, b: Draft): boolean {
  const written = ({ partitionKey, rowKey, fields }: Draft) =>
    JSON.stringify([
      partitionKey,
      rowKey,
      fields.map(({ name, type, text }) => JSON.stringify([name, type, text])).sort(),
    ]);
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

/** Whether a merge or an insertion can save a draft: a merge removes no property. */
export function isMerge({ loaded, fields }: Draft): boolean {
  return [...(loaded?.properties.keys() ?? [])].every((one) => fields.some(({ name }) => name === one));
}

/** Returns the properties that a merge writes: those that differ from the entity as it was loaded. */
export function changedProperties(draft: Draft): ReadonlyMap<string, Value> {
  const before = draft.loaded?.properties;
  return new Map([...propertiesOf(draft)].filter(([name, value]) => !isSameValue(before?.get(name), value)));
}

/**
 * Puts the changes of a draft onto the entity as it is now. Returns the draft, and the names of the properties that both have changed,
 * each in its own way: there the draft has the value of `winner`.
 */
export function rebase(
  draft: Draft,
  theirs: Entity,
  winner: 'mine' | 'theirs' = 'mine',
): { readonly draft: Draft; readonly overlap: readonly string[] } {
  const before = draft.loaded?.properties ?? new Map<string, Value>();
  const named = draft.fields.filter(
    ({ name }, at) => name !== '' && draft.fields.findIndex((one) => one.name === name) === at,
  );
  const mine = new Map(named.map((field) => [field.name, field]));
  const names = [...new Set([...theirs.properties.keys(), ...mine.keys()])];
  const isMine = (name: string) => !isSameValue(before.get(name), mine.get(name));
  const isTheirs = (name: string) => !isSameValue(before.get(name), theirs.properties.get(name));
  const fields = names.flatMap((name) => {
    const takesMine = isMine(name) && (winner === 'mine' || !isTheirs(name));
    const value = takesMine ? mine.get(name) : theirs.properties.get(name);
    return value ? [{ id: mine.get(name)?.id ?? nextId++, name, type: value.type, text: value.text }] : [];
  });
  // Properties that have no valid name yet.
  fields.push(...draft.fields.filter((field) => !named.includes(field)));
  const all = new Set([...before.keys(), ...names]);
  const overlap = [...all].filter(
    (name) => isMine(name) && isTheirs(name) && !isSameValue(mine.get(name), theirs.properties.get(name)),
  );
  return { draft: { ...withFields(draft, fields), loaded: theirs, isPartial: false, problem: undefined }, overlap };
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

/** Returns an error message for an invalid name of a field; otherwise undefined. Source: data-model 3.1. */
export function nameFault({ fields }: Draft, { id, name }: Field): string | undefined {
  return (
    propertyNameFault(name) ??
    (fields.some((other) => other.id !== id && other.name === name) ? 'This name is already used.' : undefined)
  );
}

/** Returns whether the service would accept a draft. */
export function isValid(draft: Draft): boolean {
  return (
    draft.json?.fault === undefined &&
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
