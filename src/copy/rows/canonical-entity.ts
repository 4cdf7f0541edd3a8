import { int32Max, int32Min } from '../../protocol/limits.js';
import { lowerAscii } from '../../protocol/names.js';
import { readDateTime } from '../../protocol/values/date-time.js';
import { readGuid } from '../../protocol/values/guid.js';
import { scanEntity, stringOf, typeSuffix } from './row.js';

/** Returns whether two texts are the same entity. */
export function isSameEntity(one: string, other: string): boolean {
  return one === other || canonicalParts(one).join() === canonicalParts(other).join();
}

/** The end of the JSON of a name that gives the type of another. */
export const typeEnd = `${typeSuffix}"`;

/** Returns the properties of an entity in their one spelling, sorted. */
export function canonicalParts(text: string): string[] {
  const parts: string[] = [];
  visitProperties(text, (name, value) => parts.push(`${name}:${value}`));
  return parts.sort();
}

/**
 * Visits the properties of an entity in their one spelling: the JSON of a name, and a value with its type. Errors: SyntaxError.
 */
export function visitProperties(text: string, visit: (name: string, value: string) => void): void {
  const [names, values]: [string[], string[]] = [[], []];
  let types: Map<string, string> | undefined;
  scanEntity(text, 0, (nameAt, nameEnd, valueAt, valueEnd) => {
    const name = canonicalString(text.slice(nameAt, nameEnd));
    const value = text.slice(valueAt, valueEnd);
    if (name.endsWith(typeEnd)) {
      types ??= new Map();
      types.set(`${name.slice(0, -typeEnd.length)}"`, stringOf(value));
    } else {
      names.push(name);
      values.push(value);
    }
  });
  for (let at = 0; at < names.length; at++) {
    const name = names[at] ?? '';
    visit(name, canonicalValue(values[at] ?? '', types?.get(name)));
  }
}

/** Returns the one JSON of a string. Without escapes, there is no other. */
function canonicalString(json: string): string {
  return json.includes('\\') ? JSON.stringify(stringOf(json)) : json;
}

/** Returns a value in its one spelling: the JSON of a string, or a letter for its type and a value. `type` is its annotation. */
export function canonicalValue(json: string, type: string | undefined): string {
  const isString = json.charCodeAt(0) === 0x22;
  if (isString && (type === undefined || type === 'Edm.String')) return canonicalString(json);
  const text = isString ? stringOf(json) : json;
  switch (type ?? impliedType(text)) {
    case 'Edm.Boolean':
      return `b${text}`;
    case 'Edm.Int32':
      return `i${withoutZeros(text)}`;
    case 'Edm.Int64':
      return `l${withoutZeros(text)}`;
    case 'Edm.Double': {
      const number = Number(text.endsWith('F') ? text.replace('INF', 'Infinity') : text);
      return `d${Object.is(number, -0) ? '-0' : number}`;
    }
    case 'Edm.DateTime':
      return `t${canonicalInstant(text)}`;
    case 'Edm.Guid':
      return `g${text.length === 36 ? lowerAscii(text) : (readGuid(text) ?? text)}`;
    case 'Edm.Binary':
      return `x${text}`;
    default:
      return `${type}${JSON.stringify(text)}`;
  }
}

function impliedType(text: string): string {
  if (text === 'true' || text === 'false') return 'Edm.Boolean';
  // A service takes a larger integer for a Double.
  const isDouble = /[.eE]/.test(text) || (text.length > 9 && !(Number(text) >= int32Min && Number(text) <= int32Max));
  return isDouble ? 'Edm.Double' : 'Edm.Int32';
}

function withoutZeros(text: string): string {
  if (!text.startsWith('0') && !text.startsWith('-0')) return text;
  const digits = text.replace(/^(-?)0+(?=\d)/, '$1');
  return digits === '-0' ? '0' : digits;
}

function canonicalInstant(text: string): string {
  const reading = text.endsWith('Z') ? undefined : readDateTime(text);
  const utc = reading && 'text' in reading ? reading.text : text;
  const whole = utc.replace(/Z$/, '');
  return whole.endsWith('0') && whole.includes('.') ? whole.replace(/\.0*$|(\.\d*?)0+$/, '$1') : whole;
}
