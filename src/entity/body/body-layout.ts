import { type EdmType, isEdmType } from '../../protocol/edm.js';
import type { Property } from '../stored/entity.js';
import { readJsonString } from '../stored/json-text.js';
import { ownText } from '../stored/own-text.js';
import { canonicalBytes, canonicalForms, type FormedType, numberForm } from '../stored/value-forms.js';
import { type JsonMember, type JsonToken, readJsonObject } from './read-json.js';
import { readValue } from './read-value.js';
import type { SentEntity } from './sent-entity.js';

/** A longer pattern is not worth its compilation. Unit: characters. */
const patternLengthMax = 8192;

const typeSuffix = '@odata.type';

/** A value that the pattern of a layout captures. */
interface Slot {
  /** The name of a property, or of a key. */
  readonly name: string;
  readonly isKey: boolean;
  /** The type of the value if it is canonical in the captured form. Without it, the value is a number to parse. */
  readonly type: FormedType | undefined;
  readonly annotated: EdmType | undefined;
}

/**
 * The layout of the body of a write: all of its text but the values. A program sends many bodies of one layout. A regular
 * expression then checks the body and finds the values, in a tenth of the time that it takes to read JSON.
 *
 * A layout knows only bodies whose values are canonical, or numbers, which nearly all are.
 */
export class BodyLayout {
  readonly #pattern: RegExp;
  readonly #slots: readonly Slot[];

  constructor(pattern: string, slots: readonly Slot[]) {
    this.#pattern = new RegExp(`^${pattern}$`);
    this.#slots = slots;
  }

  /** Reads a body as `readEntity` does. Returns undefined if it has another layout. Errors: as `readEntity`. */
  read(body: string): SentEntity | undefined {
    const captured = this.#pattern.exec(body);
    if (!captured) return undefined;
    let partitionKey: string | undefined;
    let rowKey: string | undefined;
    const properties: Property[] = [];
    for (let at = 0; at < this.#slots.length; at++) {
      const { name, isKey, type, annotated } = this.#slots[at] as Slot;
      const json = captured[at + 1] as string;
      if (isKey) {
        if (name === 'PartitionKey') partitionKey = json.slice(1, -1);
        else rowKey = json.slice(1, -1);
      } else if (type !== undefined) properties.push({ name, type, json, valueBytes: canonicalBytes(type, json) });
      else properties.push(readValue(name, { kind: 'number', json }, annotated));
    }
    return { partitionKey, rowKey, properties };
  }
}

/** Returns the layout of a body that `readEntity` accepts; undefined if it has values that no layout knows. */
export function findLayout(body: string): BodyLayout | undefined {
  if (body.includes('\\')) return undefined;
  const members = readJsonObject(body);
  const annotations = new Map<string, JsonToken>();
  for (const { name, token } of members) {
    if (isAnnotation(name)) annotations.set(name.slice(0, -typeSuffix.length), token);
  }
  const slots: Slot[] = [];
  let pattern = '';
  let end = 0;
  let at = 0;
  for (const { name, token } of members) {
    if (token.kind === 'nested') return undefined;
    const json = token.kind === 'null' ? 'null' : token.json;
    // A value begins neither with a colon nor with a space, so this is its place.
    const start = body.indexOf(json, body.indexOf(`"${name}"`, at) + name.length + 2);
    at = start + json.length;
    if (isAnnotation(name) || token.kind === 'null') continue;
    const slot = slotOf({ name, token }, annotations.get(name));
    if (slot === undefined) return undefined;
    const form = slot === 'ignored' ? canonicalForms['Edm.String'] : formOf(slot);
    pattern += `${escapePattern(body.slice(end, start))}${slot === 'ignored' ? `(?:${form})` : `(${form})`}`;
    if (slot !== 'ignored') slots.push({ ...slot, name: ownText(slot.name) });
    end = at;
  }
  pattern += escapePattern(body.slice(end));
  if (pattern.length > patternLengthMax) return undefined;
  const layout = new BodyLayout(pattern, slots);
  return layout.read(body) && layout;
}

function isAnnotation(name: string): boolean {
  return name.endsWith(typeSuffix) && !name.startsWith('odata.');
}

/** Returns what to capture of a member; `ignored` if nothing reads it; undefined if no layout knows such a value. */
function slotOf({ name, token }: JsonMember, annotation: JsonToken | undefined): Slot | 'ignored' | undefined {
  if (name === 'Timestamp' || name.includes('@') || name.startsWith('odata.')) return 'ignored';
  if (name === 'PartitionKey' || name === 'RowKey') {
    return { name, isKey: true, type: 'Edm.String', annotated: undefined };
  }
  const annotated = annotation?.kind === 'string' ? readJsonString(annotation.json) : undefined;
  if (annotated !== undefined && !isEdmType(annotated)) return undefined;
  if (token.kind === 'number') return { name, isKey: false, type: undefined, annotated };
  const type = annotated ?? (token.kind === 'string' ? 'Edm.String' : 'Edm.Boolean');
  return type in canonicalForms ? { name, isKey: false, type: type as FormedType, annotated } : undefined;
}

function formOf({ type }: Slot): string {
  return type === undefined ? numberForm : canonicalForms[type];
}

/** Returns the source of a pattern that matches just this text. */
function escapePattern(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}
