import { nearestName } from '../nearest-name.js';
import { Refusal } from '../verbs/verb.js';

/** What a body must be: the type of each field that it may have. A `name` is not blank; a `string` may be anything. */
export type FieldTypes<Name extends string> = Readonly<Record<Name, 'name' | 'string' | 'number'>>;

/** The fields that were read. All of them may be absent. */
export type Fields<Types> = { readonly [Name in keyof Types]?: Types[Name] extends 'number' ? number : string };

/** Why a body cannot be used, in words for its writer. */
export class FieldFault extends Refusal {
  constructor(message: string) {
    super(400, message);
  }
}

/** Reads the fields of a JSON object. Errors: FieldFault for another value, an unknown field, a wrong type or a blank name. */
export function readFields<const Types extends FieldTypes<string>>(body: unknown, types: Types): Fields<Types> {
  const known = Object.keys(types);
  const listed = known.length === 0 ? 'There are none.' : `The fields are: ${known.join(', ')}.`;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new FieldFault(known.length === 0 ? 'Send {}.' : `Send a JSON object with any of: ${known.join(', ')}.`);
  }
  for (const [name, value] of Object.entries(body)) {
    if (!Object.hasOwn(types, name)) {
      const meant = nearestName(name, known);
      const hint = meant === undefined ? listed : `Did you mean '${meant}'?`;
      throw new FieldFault(`There is no field '${name}'. ${hint}`);
    }
    const wanted = types[name];
    const type = wanted === 'number' ? 'number' : 'string';
    if (typeof value !== type) throw new FieldFault(`The field '${name}' must be a ${type}.`);
    // A script whose variable is not set must not act on everything.
    if (wanted === 'name' && String(value).trim() === '') {
      throw new FieldFault(`The field '${name}' is empty. Leave it out, or give it a value.`);
    }
  }
  return body as Fields<Types>;
}
