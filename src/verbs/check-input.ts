import { faultOfFields, notesOf, requiredOf, type Schema } from '../schema.js';
import { type AnyVerb, RejectedCall } from './verb.js';

/** Returns the caller's name for a field, for error messages: `'account'`, or `--account` on the command line. */
export type Naming = (field: string, verb: AnyVerb) => string;

/** The names of the library and of HTTP. */
export const fieldNames: Naming = (field) => `'${field}'`;

/** The names of the command line: `NAME` for a positional argument, `--account` for an option. */
export const commandNames: Naming = (field, { words = [], takes }) =>
  words.includes(field) ? wordName(field, takes[field]) : `--${field}`;

/** Returns the placeholder of a positional argument, for help and messages. */
export function wordName(field: string, schema: Schema | undefined): string {
  return (schema && notesOf(schema).value) ?? field.toUpperCase();
}

/**
 * Checks the input of a verb against the schemas of its fields. Returns it without undefined fields.
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
 * Converts strings from a query or a command line to the types of the fields: numbers, flags (empty, `true` or `false`) and
 * comma-separated lists. Leaves other strings for `checkInput` to reject.
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
