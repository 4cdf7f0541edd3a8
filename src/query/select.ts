import { TableError } from '../protocol/errors.js';
import { selectedNamesMax } from '../protocol/limits.js';
import { isPropertyName, systemProperties } from '../protocol/names.js';
import { invalidOption } from './query-options.js';

/** A parsed `$select`. */
export interface Select {
  /** The decoded text of the option. The context URL of the answer contains it. */
  readonly text: string;
  /**
   * The properties of the answer, without duplicates: system properties first, then the others in ordinal order. Absent
   * if all properties are selected, in stored order.
   */
  readonly names?: readonly string[];
}

/**
 * Parses a decoded `$select`. Returns undefined if it is absent. Blanks or `*` select all properties. The list may end
 * with a comma. Blanks around a name are ignored, or with `keepsBlanks` belong to it.
 *
 * Errors: InvalidInput for an invalid property name or too many names. Source: query 7; cosmos 15.8.
 */
export function parseSelect(text: string | undefined, keepsBlanks = false): Select | undefined {
  if (text === undefined) return undefined;
  if (text.trim() === '') return { text: '' };
  const items = text.split(',');
  if (items.length > 1 && items.at(-1)?.trim() === '') items.pop();
  if (items.length > selectedNamesMax) throw invalidOption('$select', `${items.length} names`);
  checkNames(items);
  const listed = items.map((item) => item.trim());
  if (listed.includes('*')) return { text };
  const asked = new Set(keepsBlanks ? items : listed);
  const system = systemProperties.filter((name) => asked.delete(name));
  // Without a comparison function, `sort` uses UTF-16 code units.
  return { text, names: [...system, ...[...asked].sort()] };
}

/** Checks the names of a list. Errors: InvalidInput, with a position if a name does not begin like one. */
function checkNames(items: readonly string[]): void {
  let position = 0;
  for (const item of items) {
    const name = item.trim();
    if (name !== '*' && !isPropertyName(name)) {
      if (isPropertyName(name.slice(0, 1))) throw invalidOption('$select', name);
      const start = position + item.length - item.trimStart().length;
      throw new TableError('InvalidInput', {
        variant: { name: 'select-syntax', position: start },
        evidence: () => ({ check: 'query-option', option: '$select', value: name }),
      });
    }
    position += item.length + 1;
  }
}
