import { faultOfFields, notesOf, requiredOf, type Schema } from '../schema.js';
import { type AnyVerb, RejectedCall } from './verb.js';

/** Returns how a caller writes a field: as the library and HTTP do, `'account'`, or as the command line does. */
export type Naming = (field: string, verb: AnyVerb) => string;

/** The names of the library and of HTTP. */
export const fieldNames: Naming = (field) => `'${field}'`;

/** The names of the command line: `NAME` for a word, `--account` for an option. */
export const commandNames: Naming = (field, { words = [], takes }) =>
  words.includes(field) ? wordName(field, takes[field]) : `--${field}`;

/** Returns the name of a word in help and messages. */
export function wordName(field: string, schema: Schema | undefined): string {
  return (schema && notesOf(schema).value) ?? field.toUpperCase();
}

/**
 * Checks what a verb was asked against the schemas of its fields. Fields that are undefined are absent. Returns the fields.
 *
 * Errors: RejectedCall with the status 400, in words for the caller.
 */
export function checkInput(
  verb: AnyVerb,
  input: unknown,
  nameOf: Naming = fieldNames,
): Readonly<Record<string, unknown>> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    const known = Object.keys(verb.takes);
    throw new RejectedCall(
      400,
      known.length === 0 ? 'Send {}.' : `Send a JSON object with any of: ${known.join(', ')}.`,
    );
  }
  const fault = faultOfFields(verb.takes, input, (field) => nameOf(field, verb));
  if (fault !== undefined) throw new RejectedCall(400, fault);
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

/**
 * Turns the strings of a query or a command line into values of the types of the fields: a number, a switch that is there alone or
 * with `true` or `false`, a list with commas. A string that is none of these stays, and the check rejects it.
 */
export function readStrings(verb: AnyVerb, strings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const read = ([name, value]: [string, unknown]): [string, unknown] => {
    const schema = verb.takes[name];
    return [name, schema && typeof value === 'string' ? readString(value, requiredOf(schema).type) : value];
  };
  return Object.fromEntries(Object.entries(strings).map(read));
}

function readString(text: string, type: string): unknown {
  if (type === 'number') return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  if (type === 'boolean') return text === '' || text === 'true' ? true : text === 'false' ? false : text;
  return type === 'array' ? text.split(',') : text;
}
