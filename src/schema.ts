import * as v from 'valibot';

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

/** A whole number between two bounds. */
export const count = (does: string, min = 0, max = Number.MAX_SAFE_INTEGER) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max), v.description(does));

/** A number. */
export const number = (does: string) => v.pipe(v.number(), v.description(does));

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
