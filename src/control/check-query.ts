import type { ControlRow, RowQuery } from './control-row.js';
import { FieldFault } from './read-fields.js';

/**
 * Checks a query by the names that a row takes, so that no part of a call is ignored: a call with a misspelled or an empty name
 * would act on more than its caller means. Errors: FieldFault.
 */
export function checkQuery({ query: taken = {} }: Pick<ControlRow, 'query'>, query: URLSearchParams): void {
  if (taken === 'fields') return;
  const { values = [], switches = [] } = taken;
  const known = [...values, ...switches];
  for (const [name, value] of query) {
    if (!known.includes(name)) {
      const hint = known.length === 0 ? 'It takes no query.' : `Ask with: ${known.join(', ')}.`;
      throw new FieldFault(`There is no '${name}' here. ${hint}`);
    }
    if (query.getAll(name).length > 1) throw new FieldFault(`'${name}' is there more than once.`);
    if (values.includes(name) && value.trim() === '')
      throw new FieldFault(`'${name}' is empty. Leave it out, or give it a value.`);
    if (switches.includes(name) && !switchValues.includes(value)) {
      throw new FieldFault(`${name} cannot be '${value}'. Use one of: true, false.`);
    }
  }
}

const switchValues: readonly string[] = ['', 'true', 'false'];

/** Returns whether a switch of a query is on: its name is there, alone or with `true`. */
export function isOn(query: URLSearchParams, name: NonNullable<RowQuery['switches']>[number]): boolean {
  return query.has(name) && query.get(name) !== 'false';
}
