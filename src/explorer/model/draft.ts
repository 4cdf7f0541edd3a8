import { entityPropertiesMax } from '../../protocol/limits.js';
import { type Entity, type EntityKeys, writeLines } from '../base/entity.js';
import { keyFault, propertyNameFault, readStrictly } from '../base/strict-json.js';
import { faultOf, type Value } from '../base/value.js';

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
  readonly theirs?: Entity;
  /** Whether someone else has deleted the entity. */
  readonly isGone?: boolean;
}

/** Properties by their names. */
type Properties = ReadonlyMap<string, Value>;

/** What is typed over an entity, or for a new one. */
export interface Draft extends DraftPlace, EntityKeys {
  /** Its parameter `row` in the address: the keys of its entity, or the number of a new one. */
  readonly row: string;
  /** The entity that it changes, perhaps without the properties that a query has left out; undefined for a new one. */
  readonly base: Entity | undefined;
  /** The PartitionKey that a new entity began with. */
  readonly offeredPartition: string;
  /** The properties that differ from those of the base. Null removes one. */
  readonly changes: ReadonlyMap<string, Value | null>;
  /** The name of the next property, until it is one. */
  readonly adding?: string | undefined;
  /** A text in JSON that cannot be read yet. */
  readonly json?: string | undefined;
  readonly problem?: Problem | undefined;
}

/** Drafts of new entities outlive a reload, and a paste begins many in a millisecond. */
let nextNumber = Date.now() * 1000;

/** Returns the parameter `row` of the address of an entity. */
export function rowOf({ partitionKey, rowKey }: EntityKeys): string {
  return JSON.stringify([partitionKey, rowKey]);
}

/** Returns the draft of an entity, without a change. */
export function draftOf({ account, table }: DraftPlace, base: Entity): Draft {
  const { partitionKey, rowKey } = base;
  return { account, table, row: rowOf(base), base, partitionKey, rowKey, offeredPartition: '', changes: new Map() };
}

/** Returns the draft of a new entity. `row` is that of a draft before a reload. */
export function newDraft({ account, table }: DraftPlace, partitionKey: string, row = String(nextNumber++)): Draft {
  return {
    ...{ account, table, row, base: undefined, partitionKey, rowKey: '', offeredPartition: partitionKey },
    changes: new Map(),
  };
}

/** Returns a new entity with the keys and the properties of another one, or of a draft. */
export function copyOf(place: DraftPlace, keys: EntityKeys, properties: Properties): Draft {
  const { partitionKey, rowKey } = keys;
  return { ...newDraft(place, ''), partitionKey, rowKey, changes: properties };
}

/** Returns a draft as it was before anything was typed. */
export function unchanged(draft: Draft): Draft {
  return draft.base ? draftOf(draft, draft.base) : newDraft(draft, draft.offeredPartition, draft.row);
}

/** Whether anything is typed, or a save was rejected. */
export function isChanged({ base, partitionKey, rowKey, offeredPartition, ...typed }: Draft): boolean {
  const hasKeys = !base && (rowKey !== '' || partitionKey !== offeredPartition);
  const { changes, adding = '', json, problem } = typed;
  return hasKeys || changes.size > 0 || adding !== '' || json !== undefined || problem !== undefined;
}

/** Returns the properties of a draft. */
export function propertiesOf({ base, changes }: Draft): Properties {
  const all = [...(base?.properties ?? []), ...changes];
  return new Map([...new Map(all)].flatMap(([name, value]) => (value ? [[name, value] as const] : [])));
}

/** Returns the value of a property of a draft; undefined for none. */
export function typedValue({ base, changes }: Draft, name: string): Value | undefined {
  const change = changes.get(name);
  return change === undefined ? base?.properties.get(name) : (change ?? undefined);
}

/** Whether two values are the same property. Undefined: there is none. */
export function isSameValue(a: Value | null | undefined, b: Value | null | undefined): boolean {
  return a?.type === b?.type && a?.text === b?.text;
}

/** Returns a draft with these properties. */
export function withProperties(draft: Draft, properties: Properties): Draft {
  const before = draft.base?.properties;
  const names = new Set([...(before?.keys() ?? []), ...draft.changes.keys(), ...properties.keys()]);
  const changed = [...names].filter((name) => !isSameValue(before?.get(name), properties.get(name)));
  return {
    ...draft,
    changes: new Map(changed.map((name) => [name, properties.get(name) ?? null])),
    problem: changed.length > 0 ? draft.problem : undefined,
  };
}

/** Returns a draft with another value of a property; undefined removes it. */
export function withChange(draft: Draft, name: string, value: Value | undefined): Draft {
  const properties = new Map(propertiesOf(draft));
  if (value) properties.set(name, { type: value.type, text: value.text });
  else properties.delete(name);
  return withProperties(draft, properties);
}

/** Returns a draft whose typed name is a property, if it can be one. */
export function withAdded(draft: Draft): Draft {
  const { adding = '' } = draft;
  if (adding === '' || nameFault(draft) !== undefined) return draft;
  return { ...withChange(draft, adding, { type: 'Edm.String', text: '' }), adding: undefined };
}

/** Returns the text of a draft in JSON: as it is typed, or as the service writes it, with each member on its own line. */
export function jsonOf(draft: Draft): string {
  return draft.json ?? writeLines(propertiesOf(draft), draft);
}

/** Returns a draft with a text in JSON. If the text has a fault, the properties stay as they are. */
export function withJson(draft: Draft, text: string): Draft {
  const read = readStrictly(text, draft.base);
  if ('fault' in read) return { ...draft, json: text };
  return { ...withProperties(draft, read.properties), ...read.keys, json: undefined, problem: undefined };
}

/** Returns the names of the properties that a draft and someone else have changed, each in its own way. */
export function overlapOf({ base, changes }: Draft, { properties: theirs }: Entity): readonly string[] {
  const isTheirs = (name: string) => !isSameValue(base?.properties.get(name), theirs.get(name));
  return [...changes].flatMap(([name, mine]) => (isTheirs(name) && !isSameValue(mine, theirs.get(name)) ? [name] : []));
}

/** Puts the changes of a draft onto the entity as it is now. */
export function rebase(draft: Draft, theirs: Entity): Draft {
  const next = { ...draft, base: theirs, problem: undefined };
  return withProperties(next, propertiesOf(next));
}

/**
 * Returns a text as it was typed, with the line breaks that it had before: a field of the browser shows each of them as LF. Breaks that are
 * typed into a text with CR LF are CR LF.
 */
export function keepBreaks(before: string, typed: string): string {
  // A text with CR is from no field.
  if (!before.includes('\r') || typed.includes('\r')) return typed;
  // Each is one character in the field.
  const units = before.match(/\r\n?|[\s\S]/g) ?? [];
  const isSame = (unit = '', sign = '') => unit.replace(/\r\n?/, '\n') === sign;
  const most = Math.min(units.length, typed.length);
  let start = 0;
  while (start < most && isSame(units[start], typed[start])) start++;
  let end = 0;
  while (end < most - start && isSame(units.at(-1 - end), typed.at(-1 - end))) end++;
  const head = units.slice(0, start).join('');
  const tail = units.slice(units.length - end).join('');
  const rest = typed.slice(start, typed.length - end).replaceAll('\n', '\r\n') + tail;
  // A lone CR and the LF after it would be one break.
  return head + (head.endsWith('\r') && rest.startsWith('\n') ? '\n' : '') + rest;
}

/** Returns an error message for the name that is typed; otherwise undefined. Source: data-model 3.1. */
export function nameFault(draft: Draft): string | undefined {
  const { adding = '' } = draft;
  if (adding === '') return undefined;
  return propertyNameFault(adding) ?? (typedValue(draft, adding) ? 'This name is already used.' : undefined);
}

/** Returns whether the service would accept a draft, unless it is too large. */
export function isValid(draft: Draft): boolean {
  const properties = propertiesOf(draft);
  return (
    draft.json === undefined &&
    nameFault(draft) === undefined &&
    keyFault(draft.partitionKey) === undefined &&
    keyFault(draft.rowKey) === undefined &&
    properties.size <= entityPropertiesMax &&
    [...properties.values()].every((value) => faultOf(value) === undefined)
  );
}
