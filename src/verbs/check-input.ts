import * as v from 'valibot';
import { nearestName } from '../nearest-name.js';
import { notesOf, requiredOf, type Schema } from '../schema.js';
import { type AnyVerb, Refusal } from './verb.js';

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
 * Errors: Refusal with the status 400, in words for the caller.
 */
export function checkInput(
  verb: AnyVerb,
  input: unknown,
  nameOf: Naming = fieldNames,
): Readonly<Record<string, unknown>> {
  const known = Object.keys(verb.takes);
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new Refusal(400, known.length === 0 ? 'Send {}.' : `Send a JSON object with any of: ${known.join(', ')}.`);
  }
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  // Valibot looks a name up in an object, where `constructor` is found.
  const stray = Object.keys(given).find((name) => !known.includes(name));
  if (stray !== undefined) throw new Refusal(400, strayName(stray, verb, nameOf));
  const { issues: [issue] = [] } = v.safeParse(v.object(verb.takes), given);
  if (issue) throw new Refusal(400, sentenceOf(issue, verb, nameOf));
  return given;
}

/** Returns what is wrong with a field, in one sentence with the fix. */
function sentenceOf(issue: v.BaseIssue<unknown>, verb: AnyVerb, nameOf: Naming): string {
  const { path: [{ key }, ...below] = [{ key: '' }], received } = issue as v.BaseIssue<unknown> & {
    readonly path?: readonly [{ readonly key: unknown }];
  };
  const field = String(key);
  const schema = verb.takes[field];
  const named = `${nameOf(field, verb)}${below.length === 0 ? '' : ' (an item of the list)'}`;
  const { example, wanted } = schema ? notesOf(schema) : {};
  const hint = example === undefined ? '' : `, such as ${JSON.stringify(example)}`;
  if (received === 'undefined') return `${named} is missing${hint}.`;
  if (issue.type === 'regex' && wanted === undefined) return `${named} must not be empty.`;
  return `${named} must be ${wanted ?? wantedBy(issue, schema)}; got ${shown(issue.input)}.`;
}

/** Returns the sentence about a name that is not a field. */
function strayName(name: string, verb: AnyVerb, nameOf: Naming): string {
  const known = Object.keys(verb.takes);
  const meant = nearestName(name, known);
  const hint =
    meant !== undefined
      ? `Did you mean ${nameOf(meant, verb)}?`
      : known.length === 0
        ? 'It takes no fields.'
        : `Known: ${known.map((one) => nameOf(one, verb)).join(', ')}.`;
  return `There is no '${name}'. ${hint}`;
}

/** What an issue expects, in words. */
function wantedBy({ type, requirement }: v.BaseIssue<unknown>, schema: Schema | undefined): string {
  const options = schema && (requiredOf(schema) as { readonly options?: readonly string[] }).options;
  if (type === 'picklist' && options) return `one of: ${options.join(', ')}`;
  if (type === 'integer') return 'a whole number';
  if (type === 'min_value') return `at least ${requirement}`;
  if (type === 'max_value') return `at most ${requirement}`;
  if (type === 'boolean') return 'true or false';
  return type === 'array' ? 'a list' : `a ${type}`;
}

/** Returns a value as messages show it. What is in a list or an object may be nested more deeply than the stack allows. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const written = typeof value === 'string' ? `'${value}'` : String(value);
  return written.length <= 100 ? written : `${written.slice(0, 100)}…`;
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
