import { readEntity } from '../../../src/entity/body/read-entity.js';
import type { Property } from '../../../src/entity/stored/entity.js';

/** Reads properties from the members of a JSON object, given without braces, as from a request body. */
export function sentProperties(members: string): readonly Property[] {
  return readEntity(`{${members}}`).properties;
}

/** Returns a string property whose value has this many UTF-16 code units. */
export function stringOf(name: string, units: number): Property {
  return { name, type: 'Edm.String', json: `"${'s'.repeat(units)}"`, valueBytes: 2 * units + 4 };
}
