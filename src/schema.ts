import * as v from 'valibot';
import { nearestName } from './nearest-name.js';

/** A schema whose input is what it returns: nothing is converted. */
export type Schema<Value = unknown> = v.GenericSchema<Value>;

/** Schemas of the fields of an object, by name. */
export type Fields = Readonly<Record<string, Schema | v.ExactOptionalSchema<Schema, undefined>>>;

/** What a schema of fields describes, as nobody may change it. */
export type Shape<Of extends Schema> = Fixed<v.InferOutput<Of>>;

/** An object with these fields. */
export type ObjectOf<Of extends Fields> = Fixed<v.InferOutput<v.StrictObjectSchema<Of, undefined>>>;

type Fixed<Value> = Value extends (infer Item)[]
  ? readonly Fixed<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Fixed<Value[Name]> }
    : Value;

/** What help and messages need of a field beyond its type. */
export interface FieldNotes {
  /** How help names its value, as `NAME`. */
  readonly value?: string;
  /** What is expected, for messages: `an instant in UTC, such as 2030-01-31`. */
  readonly wanted?: string;
  /** Whether the command takes several words, which are joined by spaces. */
  readonly joins?: boolean;
  /** A value that works, for messages and OpenAPI. */
  readonly example?: string;
  /** Whether messages must not show a value, because it may hold a key, a token or a password. */
  readonly isSecret?: boolean;
}

/** A field that may be missing. */
export const optional = <const Of extends Schema>(of: Of) => v.exactOptional(of);

/** A string that is not blank: a script whose variable is not set must not act on everything. */
export const name = (does: string, notes: FieldNotes = {}) =>
  v.pipe(v.string(), v.regex(/\S/), v.description(does), v.metadata({ ...notes }));

/** A string that may be empty. */
export const text = (does: string, notes: FieldNotes = {}) =>
  v.pipe(v.string(), v.description(does), v.metadata({ ...notes }));

/** A string of a form. */
export const formed = (does: string, form: RegExp, notes: FieldNotes & { readonly wanted: string }) =>
  v.pipe(v.string(), v.regex(form), v.description(does), v.metadata({ ...notes }));

/** A string that passes a check. */
export const checked = (
  does: string,
  isValid: (text: string) => boolean,
  notes: FieldNotes & { readonly wanted: string },
) => v.pipe(v.string(), v.check(isValid), v.description(does), v.metadata({ ...notes }));

/** A whole number between two bounds. */
export const count = (does: string, min = 0, max = Number.MAX_SAFE_INTEGER, notes: FieldNotes = {}) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max), v.description(does), v.metadata({ ...notes }));

/** A number between two bounds. */
export const number = (does: string, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY) =>
  v.pipe(v.number(), v.minValue(min), v.maxValue(max), v.description(does));

/** Whether something is so. */
export const flag = (does: string) => v.pipe(v.boolean(), v.description(does));

/** One of several words. */
export const choice = <const Words extends readonly string[]>(does: string, words: Words, notes: FieldNotes = {}) =>
  v.pipe(v.picklist(words), v.description(does), v.metadata({ ...notes }));

/** A list. */
export const list = <const Of extends Schema>(does: string, of: Of, notes: FieldNotes = {}) =>
  v.pipe(v.array(of), v.description(does), v.metadata({ ...notes }));

/** One of several schemas. */
export const anyOf = <const Of extends readonly Schema[]>(does: string, of: Of, notes: FieldNotes = {}) =>
  v.pipe(v.union(of), v.description(does), v.metadata({ ...notes }));

/** An object with a name of its own in OpenAPI and in the types of the library. */
export const object = <const Of extends Fields>(title: string, does: string, fields: Of) =>
  v.pipe(v.object(fields), v.title(title), v.description(does));

/** An object with any fields. */
export const openObject = (does: string) =>
  v.pipe(v.looseObject({}), v.description(does), v.metadata({ wanted: 'an object' }));

/** Any value of JSON. */
export const anything = (does: string) => v.pipe(v.unknown(), v.description(does));

/** A value that only its module describes: `file`, below `src`, exports the type `title`. */
export const described = <Value extends object>(title: string, does: string, file: string) =>
  v.pipe(v.looseObject({}), v.title(title), v.description(does), v.metadata({ file })) as unknown as Schema<Value>;

/** What a schema says about itself. */
export interface SchemaNotes extends FieldNotes {
  readonly title?: string;
  readonly description?: string;
  readonly file?: string;
}

/** Returns what a schema says about itself, or what the schema says that it makes optional. */
export function notesOf(schema: Schema): SchemaNotes {
  const { pipe = [] } = requiredOf(schema) as { readonly pipe?: readonly NotedStep[] };
  const notes: Record<string, unknown> = {};
  for (const { type, title, description, metadata } of pipe) {
    if (type === 'title') notes['title'] = title;
    else if (type === 'description') notes['description'] = description;
    else if (type === 'metadata') Object.assign(notes, metadata);
  }
  return notes;
}

/** A step of a schema, of which some say something about it. */
interface NotedStep {
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
  readonly metadata?: object;
}

/** Returns whether a field may be missing. */
export function isOptional(schema: Schema): boolean {
  return schema.type === 'exact_optional';
}

/** Returns the schema of a field that is there. */
export function requiredOf(schema: Schema): Schema {
  return isOptional(schema) ? (schema as unknown as { readonly wrapped: Schema }).wrapped : schema;
}

/**
 * Returns the sentence about the first fault of an object; undefined for a valid one. A field with the value undefined is absent.
 * `nameOf` returns how the caller writes a field.
 */
export function faultOfFields(fields: Fields, input: object, nameOf: (field: string) => string): string | undefined {
  const known = Object.keys(fields);
  const given = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  // Valibot looks a name up in an object, where `constructor` is found.
  const stray = [...given.keys()].find((name) => !known.includes(name));
  if (stray !== undefined) return strayName(stray, known, nameOf);
  for (const [field, schema] of Object.entries(fields)) {
    const value = given.get(field);
    const fault = value === undefined && isOptional(schema) ? undefined : faultOf(nameOf(field), schema, value);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Returns the sentence about a name that is not a field. */
function strayName(name: string, known: readonly string[], nameOf: (field: string) => string): string {
  const meant = nearestName(name, known);
  const hint =
    meant !== undefined
      ? `Did you mean ${nameOf(meant)}?`
      : known.length === 0
        ? 'It takes no fields.'
        : `Known: ${known.map(nameOf).join(', ')}.`;
  return `There is no ${shown(name)}. ${hint}`;
}

/** Returns one sentence about an invalid value, with the fix; undefined for a valid one. `name` is how the caller writes the field. */
export function faultOf(name: string, schema: Schema, value: unknown): string | undefined {
  const { type: kind, entries } = requiredOf(schema) as { readonly type: string; readonly entries?: Fields };
  // Valibot copies a list into an object without complaint.
  if (kind.endsWith('object') && Array.isArray(value)) return `${name} must be an object; got a list.`;
  if (kind === 'object' && entries && typeof value === 'object' && value !== null)
    return faultOfFields(entries, value, (field) => `${name}.${field}`);
  const { issues: [issue] = [] } = v.safeParse(schema, value);
  if (!issue) return undefined;
  const { path, type, input } = issue as v.BaseIssue<unknown>;
  const { example, wanted, isSecret } = notesOf(schema);
  const named = path === undefined || isSecret ? name : `${name} (an item of the list)`;
  if (value === undefined)
    return `${named} is missing${example === undefined ? '' : `, such as ${JSON.stringify(example)}`}.`;
  if (type === 'regex' && wanted === undefined) return `${named} must not be empty.`;
  return `${named} must be ${wanted ?? wantedBy(issue, schema)}${isSecret ? '' : `; got ${shown(input)}`}.`;
}

/** What an issue expects, in words. */
function wantedBy({ type, requirement }: v.BaseIssue<unknown>, schema: Schema): string {
  const { options } = requiredOf(schema) as { readonly options?: readonly string[] };
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
