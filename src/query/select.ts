import { TableError } from '../protocol/errors.js';
import { selectedNamesMax } from '../protocol/limits.js';
import { isPropertyName, systemProperties } from '../protocol/names.js';

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
 * Parses a decoded `$select`. Returns undefined if it is absent. An empty text or `*` selects all properties.
 *
 * Errors: InvalidInput for an invalid property name or too many names. Source: query 7.
 */
export function parseSelect(text: string | undefined): Select | undefined {
  if (text === undefined) return undefined;
  const listed = text.split(',').map((name) => name.trim());
  if (listed.length > selectedNamesMax) throw new TableError('InvalidInput');
  if (listed.length === 1 && listed[0] === '') return { text };
  for (const name of listed) if (name !== '*' && !isPropertyName(name)) throw new TableError('InvalidInput');
  if (listed.includes('*')) return { text };
  const asked = new Set(listed);
  const system = systemProperties.filter((name) => asked.delete(name));
  // Without a comparison function, `sort` uses UTF-16 code units.
  return { text, names: [...system, ...[...asked].sort()] };
}
