import * as v from 'valibot';
import { nearestName } from './nearest-name.js';

/** A schema that validates without conversion. */
export type Schema<Value = unknown> = v.GenericSchema<Value>;

/** Schemas of the fields of an object, by name. */
export type Fields = Readonly<Record<string, Schema | v.ExactOptionalSchema<Schema, undefined>>>;

/** The deeply readonly type of a schema. */
export type Shape<Of extends Schema> = Fixed<v.InferOutput<Of>>;

/** The deeply readonly type of an object with these fields. */
export type ObjectOf<Of extends Fields> = Fixed<v.InferOutput<v.StrictObjectSchema<Of, undefined>>>;

type Fixed<Value> = Value extends (infer Item)[]
  ? readonly Fixed<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Fixed<Value[Name]> }
    : Value;

/** The notes of a field for help and messages. */
export interface FieldNotes {
  /** The placeholder in help, such as `NAME`. */
  readonly value?: string;
  /** The expected value, for messages: `an instant in UTC, such as 2030-01-31`. */
  readonly wanted?: string;
  /** Whether the command joins several words with spaces. */
  readonly joins?: boolean;
  /** A valid value, for messages and OpenAPI. */
  readonly example?: string;
  /** Whether messages must hide the value, which may contain a key, a token or a password. */
  readonly isSecret?: boolean;
}

/** A field that may be missing. */
export const optional = <const Of extends Schema>(of: Of) => v.exactOptional(of);

/** A non-blank string, so that a script with an unset variable does not act on everything. */
export const name = (does: string, notes: FieldNotes = {}) =>
  v.pipe(v.string(), v.regex(/\S/), v.description(does), v.metadata({ ...notes }));

/** A string that may be empty. */
export const text = (does: string, notes: FieldNotes = {}) =>
  v.pipe(v.string(), v.description(does), v.metadata({ ...notes }));

/** A string that matches a pattern. */
export const formed = (does: string, form: RegExp, notes: FieldNotes & { readonly wanted: string }) =>
  v.pipe(v.string(), v.regex(form), v.description(does), v.metadata({ ...notes }));

/** A string that passes a check. */
export const checked = (
  does: string,
  isValid: (text: string) => boolean,
  notes: FieldNotes & { readonly wanted: string },
) => v.pipe(v.string(), v.check(isValid), v.description(does), v.metadata({ ...notes }));

/** An integer between two bounds. */
export const count = (does: string, min = 0, max = Number.MAX_SAFE_INTEGER, notes: FieldNotes = {}) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max), v.description(does), v.metadata({ ...notes }));

/** A number between two bounds. */
export const number = (does: string, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY) =>
  v.pipe(v.number(), v.minValue(min), v.maxValue(max), v.description(does));

/** A boolean. */
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

/** An object with a named type in the library and a title in OpenAPI. */
export const object = <const Of extends Fields>(title: string, does: string, fields: Of) =>
  v.pipe(v.object(fields), v.title(title), v.description(does));

/** An object with any fields. */
export const openObject = (does: string) =>
  v.pipe(v.looseObject({}), v.description(does), v.metadata({ wanted: 'an object' }));

/** Any JSON value. */
export const anything = (does: string) => v.pipe(v.unknown(), v.description(does));

/** An object of the type `title`, exported by `file` below `src`. */
export const described = <Value extends object>(title: string, does: string, file: string) =>
  v.pipe(v.looseObject({}), v.title(title), v.description(does), v.metadata({ file })) as unknown as Schema<Value>;

/** The notes of a schema. */
export interface SchemaNotes extends FieldNotes {
  readonly title?: string;
  readonly description?: string;
  readonly file?: string;
}

/** Returns the notes of a schema, also through `optional`. */
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

/** A step of Valibot's pipe; some carry notes. */
interface NotedStep {
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
  readonly metadata?: object;
}

/** Whether a field may be absent. */
export function isOptional(schema: Schema): boolean {
  return schema.type === 'exact_optional';
}

/** Unwraps `optional`. */
export function requiredOf(schema: Schema): Schema {
  return isOptional(schema) ? (schema as unknown as { readonly wrapped: Schema }).wrapped : schema;
}

/**
 * Returns a sentence about the first fault of an object; undefined for a valid one. Ignores undefined fields. `nameOf` returns the
 * caller's name for a field.
 */
export function faultOfFields(fields: Fields, input: object, nameOf: (field: string) => string): string | undefined {
  const known = Object.keys(fields);
  const present = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  // Valibot looks names up in an object, where it would find `constructor`.
  const stray = [...present.keys()].find((name) => !known.includes(name));
  if (stray !== undefined) return strayName(stray, known, nameOf);
  for (const [field, schema] of Object.entries(fields)) {
    const value = present.get(field);
    const fault = value === undefined && isOptional(schema) ? undefined : faultOf(nameOf(field), schema, value);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Returns a sentence about an unknown field. */
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

/** Returns a sentence about an invalid value, with the fix; undefined for a valid one. `name` is the caller's name for the field. */
export function faultOf(name: string, schema: Schema, value: unknown): string | undefined {
  const { type: kind, entries } = requiredOf(schema) as { readonly type: string; readonly entries?: Fields };
  // Valibot would accept a list as an object.
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

/** Describes the value that an issue expects. */
function wantedBy({ type, requirement }: v.BaseIssue<unknown>, schema: Schema): string {
  const { options } = requiredOf(schema) as { readonly options?: readonly string[] };
  if (type === 'picklist' && options) return `one of: ${options.join(', ')}`;
  if (type === 'integer') return 'a whole number';
  if (type === 'min_value') return `at least ${requirement}`;
  if (type === 'max_value') return `at most ${requirement}`;
  if (type === 'boolean') return 'true or false';
  return type === 'array' ? 'a list' : `a ${type}`;
}

/** Formats a value for messages. Omits the content of lists and objects, whose nesting could overflow the stack. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const written = typeof value === 'string' ? `'${value}'` : String(value);
  return written.length <= 100 ? written : `${written.slice(0, 100)}…`;
}
