import { nearestName } from '../explain/nearest-name.js';

/** What a body must be: the type of each field that it may have. */
export type FieldTypes<Name extends string> = Readonly<Record<Name, 'string' | 'number'>>;

/** The fields that were read. All of them may be absent. */
export type Fields<Types> = { readonly [Name in keyof Types]?: Types[Name] extends 'string' ? string : number };

/** Why a body cannot be used, in words for its writer. */
export class FieldFault extends Error {
  override readonly name = 'FieldFault';
}

/** Reads the fields of a JSON object. Errors: FieldFault for another value, an unknown field or a wrong type. */
export function readFields<const Types extends FieldTypes<string>>(body: unknown, types: Types): Fields<Types> {
  const known = Object.keys(types);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new FieldFault(`Send a JSON object with any of: ${known.join(', ')}.`);
  }
  for (const [name, value] of Object.entries(body)) {
    if (!Object.hasOwn(types, name)) {
      const meant = nearestName(name, known);
      const hint = meant === undefined ? `The fields are: ${known.join(', ')}.` : `Did you mean '${meant}'?`;
      throw new FieldFault(`There is no field '${name}'. ${hint}`);
    }
    const wanted = types[name];
    if (typeof value !== wanted) throw new FieldFault(`The field '${name}' must be a ${wanted}.`);
  }
  return body as Fields<Types>;
}
