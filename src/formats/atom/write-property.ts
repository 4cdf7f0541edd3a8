import { readJsonString } from '../../entity/stored/json-text.js';
import type { StoredValue } from '../../entity/stored/read-property.js';
import type { EdmType } from '../../protocol/values/edm.js';
import { escapeAnyText } from '../../protocol/xml/xml-text.js';
import { encodeElementName } from './element-name.js';

/** White space that XML readers may drop from the ends of a text. */
const outerSpace = /^[ \t\r\n]|[ \t\r\n]$/;

/**
 * Writes a property of an entry. `value` is absent if a selected property is missing in the entity. Strings have no type.
 * Source: atom 3.3; atom 3.4.
 */
export function writeProperty(name: string, value: StoredValue | undefined): string {
  const element = encodeElementName(name);
  if (value === undefined) return `<d:${element} m:null="true" />`;
  const { type, json } = value;
  if (type !== 'Edm.String') return `<d:${element} m:type="${type}">${writeValue(type, json)}</d:${element}>`;
  const text = readJsonString(json);
  const space = outerSpace.test(text) ? ' xml:space="preserve"' : '';
  return `<d:${element}${space}>${escapeAnyText(text)}</d:${element}>`;
}

/** Returns the text of a value that is not a string. Its JSON is a number, a word or a string without escapes. */
function writeValue(type: EdmType, json: string): string {
  const text = json.startsWith('"') ? json.slice(1, -1) : json;
  return type === 'Edm.Double' ? writeDouble(text) : text;
}

/** Returns a double as XML writes it: a whole number without a fraction, and INF. Source: XML Schema, section 3.2.5. */
function writeDouble(text: string): string {
  return text.replace(/\.0$/, '').replace('Infinity', 'INF');
}
