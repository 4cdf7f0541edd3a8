import { type Property, startOfMember } from '../stored/entity.js';
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
  /** Whether an entity is stored with `before`, if the value is stored as it was sent. */
  readonly isStored: boolean;
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
  for (let at = 0; at < one.length; at++) {
    if (one[at]?.name !== other[at]?.name || one[at]?.kind !== other[at]?.kind) return false;
  }
  return one.length === other.length;
}

/** Reads a body of a known layout; undefined if it has another one. Errors: those of `readValue`. */
function readAlike(body: string, { places, end }: Layout, stringUnitsMax?: number): SentEntity | undefined {
  /** Where the values end. */
  const ends: number[] = [];
  let at = 0;
  for (const { before, form } of places) {
    const start = at + before.length;
    // For long texts, `startsWith` takes several times as long.
    if (body.slice(at, start) !== before) return undefined;
    form.lastIndex = start;
    if (!form.test(body)) return undefined;
    at = form.lastIndex;
    ends.push(at);
  }
  // A body that is not JSON is rejected for that, whatever its values are.
  return body.slice(at) === end ? entityOf(body, places, ends, stringUnitsMax) : undefined;
}

/**
 * Makes the entity of a body. Clients mostly send neighboring properties as they are stored, so the text of them all is put together of
 * few pieces. That takes half the time of a piece for each name and each value.
 */
function entityOf(
  body: string,
  places: readonly Place[],
  ends: readonly number[],
  stringUnitsMax?: number,
): SentEntity {
  const properties: Property[] = [];
  let partitionKey: string | undefined;
  let rowKey: string | undefined;
  let members = '';
  /** What `members` lacks of the properties so far is stored as it was sent, from here to the last value. */
  let from = 0;
  let to = 0;
  for (let at = 0; at < places.length; at++) {
    const { before, name, type, kind, annotated, isStored } = places[at] as Place;
    const passed = to;
    to = ends[at] as number;
    const json = body.slice(passed + before.length, to);
    let member = '';
    if (name === 'PartitionKey') partitionKey = json.slice(1, -1);
    else if (name === 'RowKey') rowKey = json.slice(1, -1);
    else {
      const property =
        type === undefined
          ? readValue({ name, kind, json }, annotated, stringUnitsMax)
          : { name, type, json, valueBytes: canonicalBytes(type, json) };
      properties.push(property);
      if (isStored && property.json === json) continue;
      member = startOfMember(property) + property.json;
    }
    members += body.slice(from, passed) + member;
    from = to;
  }
  return { partitionKey, rowKey, properties, members: members + body.slice(from, to) };
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
    const before = body.slice(readTo, start);
    // A number without an annotation is stored without one.
    const storedType = type ?? (annotated === undefined ? 'Edm.Int32' : undefined);
    const isStored = storedType !== undefined && before === startOfMember({ name, type: storedType, json: '' });
    places.push({ before, form, type, name, kind, annotated, isStored });
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
