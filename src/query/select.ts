import { TableError } from '../protocol/errors.js';
import { selectedNamesMax } from '../protocol/limits.js';
import { isPropertyName, systemProperties } from '../protocol/names.js';

/** What `$select` asks for. */
export interface Select {
  /** The option as the client wrote it, decoded: the context URL repeats it. */
  readonly text: string;
  /**
   * The properties of the answer in its order, each once: system properties first, then ordinal. Absent when every
   * property is meant, in stored order.
   */
  readonly names?: readonly string[];
}

/**
 * Reads a decoded `$select`; an absent one gives undefined, an empty one and `*` mean every property.
 *
 * Errors: InvalidInput for a name no property can have, or too many names. Source: query 7.
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
  // Without a comparer, sort is by UTF-16 code unit.
  return { text, names: [...system, ...[...asked].sort()] };
}
