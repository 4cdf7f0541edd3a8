import { ownText } from '../../remembered.js';
import { type Property, startOfMember } from '../stored/entity.js';
import { readJsonString } from '../stored/json-text.js';
import { canonicalBytes, canonicalForms, type FormedType, isFormedType, numberForm } from '../stored/value-forms.js';
import { readMembers, splitMembers } from './read-entity.js';
import { type JsonMember, readJsonObject } from './read-json.js';
import { readValue } from './read-value.js';
import type { SentEntity } from './sent-entity.js';

/** A value in a body of a known layout. */
interface Place {
  /** Length of the text between the value before and this one. Unit: UTF-16 code units. */
  readonly gap: number;
  /** The type, if the pattern matches only its canonical form; undefined: the value needs parsing. */
  readonly type: FormedType | undefined;
  readonly name: string;
  readonly kind: JsonMember['kind'];
  /** The type that an annotation names. */
  readonly annotated: string | undefined;
  /** Whether an entity is stored with the text before the value, if the value is stored as it was sent. */
  readonly isStored: boolean;
}

/** The text of a body around its values. */
interface Layout {
  /** Matches a whole body, and captures the value of each place. */
  readonly pattern: RegExp;
  readonly places: readonly Place[];
}

/**
 * Maximum number of values in a layout. (Our choice: V8 compiles their pattern in one to two milliseconds, and that of 200 in more
 * than ten.) It caches the code of a repeated pattern.
 */
const placesMax = 32;

/**
 * Longest text of a layout. Unit: UTF-16 code units. (Our choice: V8 compiles its pattern in one to five milliseconds, and throws
 * for more than 32,767 characters between two values.)
 */
const layoutUnitsMax = 8 * 1024;

/** At most one layout is learned in this number of bodies. (Our choice: compiling a pattern costs as much as parsing a hundred bodies.) */
const readsPerLayout = 16;

/** Longest body to learn from, since its members retain its text. Unit: UTF-16 code units. (Our choice.) */
const learnedUnitsMax = 64 * 1024;

/**
 * Reads the bodies of a server's writes, or the entities of one file. Neighbors usually differ only in their values: one pattern
 * matches the common text, in a quarter of the time of parsing.
 */
export class AlikeBodies {
  #known: Layout | undefined;
  /** The members of the last parsed body. */
  #last: readonly JsonMember[] = [];
  /** Number of bodies to read before another layout may be learned. */
  #untilNext = 0;

  /** Reads a body as `readEntity` does. Errors: as `readEntity`. */
  read(body: string, stringUnitsMax?: number): SentEntity {
    this.#untilNext--;
    const known = this.#known;
    const texts = known?.pattern.exec(body);
    if (known && texts) return entityOf(body, known.places, texts, stringUnitsMax);
    const members = readJsonObject(body);
    const { values, types } = splitMembers(members);
    const entity = readMembers(values, types, stringUnitsMax);
    if (this.#untilNext <= 0 && body.length <= learnedUnitsMax) this.#learn(body, members, types);
    return entity;
  }

  /** Learns a layout from two consecutive bodies with the same members. Parsing is faster for alternating layouts. */
  #learn(body: string, members: readonly JsonMember[], types: readonly JsonMember[]): void {
    const layout = hasSameMembers(members, this.#last) ? layoutOf(body, members, types) : undefined;
    this.#last = layout ? [] : members;
    if (!layout) return;
    this.#known = layout;
    this.#untilNext = readsPerLayout;
  }
}

/** Returns whether the members of two bodies differ only in their values. */
function hasSameMembers(one: readonly JsonMember[], other: readonly JsonMember[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) {
    if (one[at]?.name !== other[at]?.name || one[at]?.kind !== other[at]?.kind) return false;
  }
  return true;
}

/**
 * Returns the entity of a body from its match `texts`. Clients usually send neighboring properties as they are stored, so the text
 * is joined from few slices, in half the time of joining each name and value.
 *
 * Errors: those of `readValue`.
 */
function entityOf(
  body: string,
  places: readonly Place[],
  texts: readonly string[],
  stringUnitsMax?: number,
): SentEntity {
  const properties: Property[] = [];
  let partitionKey: string | undefined;
  let rowKey: string | undefined;
  let members = '';
  /** `members` still lacks the text from here to the last value, which is stored as sent. */
  let from = 0;
  let to = 0;
  for (let at = 0; at < places.length; at++) {
    const { gap, name, type, kind, annotated, isStored } = places[at] as Place;
    const json = texts[at + 1] as string;
    const passed = to;
    to += gap + json.length;
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

/** Returns the layout of a parsed body; undefined if it has escapes or nested values, or too many values or too much text between them. */
function layoutOf(body: string, members: readonly JsonMember[], types: readonly JsonMember[]): Layout | undefined {
  if (body.includes('\\')) return undefined;
  const annotations = new Map(types.map(({ name, kind, json }) => [name, kind === 'string' ? json : undefined]));
  const places: Place[] = [];
  let pattern = '';
  let layoutUnits = body.length;
  let readTo = 0;
  let at = 0;
  for (const { name, kind, json } of members) {
    if (kind === 'nested') return undefined;
    // After the two quotes of the name, only a colon and white space come before the value.
    const nameEnd = body.indexOf('"', body.indexOf('"', at) + 1);
    const start = body.indexOf(json, nameEnd + 1);
    at = start + json.length;
    if (kind === 'null' || name === 'Timestamp' || name.includes('@') || name.startsWith('odata.')) continue;
    if (places.length === placesMax) return undefined;
    const annotation = annotations.get(name);
    const annotated = annotation === undefined ? undefined : readJsonString(annotation);
    const type = formedTypeOf(kind, annotated);
    const before = body.slice(readTo, start);
    // A number without an annotation is stored without one.
    const storedType = type ?? (annotated === undefined ? 'Edm.Int32' : undefined);
    const isStored = storedType !== undefined && before === startOfMember({ name, type: storedType, json: '' });
    places.push({ gap: before.length, type, name: ownText(name), kind, annotated, isStored });
    pattern += escapeForPattern(before) + captureOf(kind, type, places.length);
    layoutUnits -= json.length;
    readTo = at;
  }
  if (layoutUnits > layoutUnitsMax) return undefined;
  return { pattern: new RegExp(`^${pattern}${escapeForPattern(body.slice(readTo))}$`), places };
}

/** Returns the type of a value if values of the type have a canonical form. */
function formedTypeOf(kind: JsonMember['kind'], annotated: string | undefined): FormedType | undefined {
  if (annotated !== undefined) return isFormedType(annotated) ? annotated : undefined;
  if (kind === 'string') return 'Edm.String';
  return kind === 'boolean' ? 'Edm.Boolean' : undefined;
}

/**
 * Returns the pattern of a value, which is group `number`: a canonical one of its type; without a type, any number or any string of
 * plain characters.
 */
function captureOf(kind: JsonMember['kind'], type: FormedType | undefined, number: number): string {
  const plain = type ?? (kind === 'number' ? undefined : 'Edm.String');
  const form = plain === undefined ? numberForm : canonicalForms[plain];
  // All but a string in a lookahead: V8 would compile all that follows once more for each alternative of the form.
  return plain === 'Edm.String' ? `(${form})` : `(?=(${form}))\\${number}`;
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
