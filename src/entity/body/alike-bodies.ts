import type { Property } from '../stored/entity.js';
import { readJsonString } from '../stored/json-text.js';
import { canonicalBytes, canonicalForms, type FormedType, isFormedType, numberForm } from '../stored/value-forms.js';
import { readMembers, splitMembers } from './read-entity.js';
import { type JsonMember, readJsonObject } from './read-json.js';
import { readValue } from './read-value.js';
import type { SentEntity } from './sent-entity.js';

/** A value in a body of a known layout. */
interface Place {
  /** The text between the value before and this one. */
  readonly before: string;
  /** Matches the value, at a place. */
  readonly form: RegExp;
  /** The type of a value that `form` matches only in its canonical form; undefined: the value is still to be read. */
  readonly type: FormedType | undefined;
  readonly name: string;
  readonly kind: JsonMember['kind'];
  /** The type that an annotation names. */
  readonly annotated: string | undefined;
}

/** The text of a body but its values. */
interface Layout {
  readonly places: readonly Place[];
  readonly end: string;
}

/**
 * Reads the bodies of one transaction, or the entities of one file. They mostly differ only in their values: what a body has in common
 * with the last one that was read member by member is compared, not read. That takes a third of the time.
 */
export class AlikeBodies {
  #known: Layout | undefined;
  /** The members of the body that was read last member by member. */
  #last: readonly JsonMember[] = [];

  /** Reads a body as `readEntity` does. Errors: as `readEntity`. */
  read(body: string, stringUnitsMax?: number): SentEntity {
    const alike = this.#known && readAlike(body, this.#known, stringUnitsMax);
    if (alike) return alike;
    const members = readJsonObject(body);
    const { values, types } = splitMembers(members);
    const entity = readMembers(values, types, stringUnitsMax);
    // Rows of many layouts come in turns: to look for a layout in each of them would take longer than to read it.
    if (hasSameMembers(members, this.#last)) this.#known = layoutOf(body, members, types);
    this.#last = members;
    return entity;
  }
}

/** Returns whether the members of two bodies differ only in their values. */
function hasSameMembers(one: readonly JsonMember[], other: readonly JsonMember[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ name, kind }, at) => name === other[at]?.name && kind === other[at]?.kind)
  );
}

/** Reads a body of a known layout; undefined if it has another one. Errors: those of `readValue`. */
function readAlike(body: string, { places, end }: Layout, stringUnitsMax?: number): SentEntity | undefined {
  const values: string[] = [];
  let at = 0;
  for (const { before, form } of places) {
    const start = at + before.length;
    // For long texts, `startsWith` takes several times as long.
    if (body.slice(at, start) !== before) return undefined;
    form.lastIndex = start;
    if (!form.test(body)) return undefined;
    at = form.lastIndex;
    values.push(body.slice(start, at));
  }
  // A body that is not JSON is rejected for that, whatever its values are.
  return body.slice(at) === end ? entityOf(places, values, stringUnitsMax) : undefined;
}

function entityOf(places: readonly Place[], values: readonly string[], stringUnitsMax?: number): SentEntity {
  const properties: Property[] = [];
  let partitionKey: string | undefined;
  let rowKey: string | undefined;
  for (let at = 0; at < places.length; at++) {
    const { name, type, kind, annotated } = places[at] as Place;
    const json = values[at] as string;
    if (name === 'PartitionKey') partitionKey = json.slice(1, -1);
    else if (name === 'RowKey') rowKey = json.slice(1, -1);
    else if (type !== undefined) properties.push({ name, type, json, valueBytes: canonicalBytes(type, json) });
    else properties.push(readValue({ name, kind, json }, annotated, stringUnitsMax));
  }
  return { partitionKey, rowKey, properties };
}

/** Matches a value of each canonical form at a place. */
const typeForms: ReadonlyMap<FormedType, RegExp> = new Map(
  Object.entries(canonicalForms).map(([type, form]) => [type as FormedType, new RegExp(form, 'y')]),
);

/** Matches a value of any other type at a place. */
const anyNumber = new RegExp(numberForm, 'y');
const anyString = typeForms.get('Edm.String');

/** Returns the layout of a body that was read; undefined if no other body has its layout, as one with escapes. */
function layoutOf(body: string, members: readonly JsonMember[], types: readonly JsonMember[]): Layout | undefined {
  if (body.includes('\\')) return undefined;
  const annotations = new Map(types.map(({ name, kind, json }) => [name, kind === 'string' ? json : undefined]));
  const places: Place[] = [];
  let readTo = 0;
  let at = 0;
  for (const { name, kind, json } of members) {
    if (kind === 'nested') return undefined;
    // After the two quotes of the name, only a colon and white space come before the value.
    const nameEnd = body.indexOf('"', body.indexOf('"', at) + 1);
    const start = body.indexOf(json, nameEnd + 1);
    at = start + json.length;
    if (kind === 'null' || name === 'Timestamp' || name.includes('@') || name.startsWith('odata.')) continue;
    const annotation = annotations.get(name);
    const annotated = annotation === undefined ? undefined : readJsonString(annotation);
    const type = formedTypeOf(kind, annotated);
    const form = type === undefined ? (kind === 'number' ? anyNumber : anyString) : typeForms.get(type);
    if (form === undefined) return undefined;
    places.push({ before: body.slice(readTo, start), form, type, name, kind, annotated });
    readTo = at;
  }
  return { places, end: body.slice(readTo) };
}

/** Returns the type of a value if values of the type have a canonical form. */
function formedTypeOf(kind: JsonMember['kind'], annotated: string | undefined): FormedType | undefined {
  if (annotated !== undefined) return isFormedType(annotated) ? annotated : undefined;
  if (kind === 'string') return 'Edm.String';
  return kind === 'boolean' ? 'Edm.Boolean' : undefined;
}
