import type { Property } from '../../entity/stored/entity.js';
import type { StoredValue } from '../../entity/stored/read-property.js';

const keyNames = ['PartitionKey', 'RowKey'] as const;

/**
 * Members of a stored text that are not properties but mark the places of its keys. A stored text has its keys at the start, but
 * an answer has them in the order of the insert. Clients cannot write members of these names. A merge keeps the places; a
 * replace drops them, which puts the keys first. Source: cosmos 2.
 */
const placeOf: ReadonlyMap<string, Property> = new Map(
  keyNames.map((key) => [key, { name: `odata.${key}`, type: 'Edm.Boolean', json: 'true', valueBytes: 0 }]),
);

const keyOfPlace: ReadonlyMap<string, string> = new Map([...placeOf].map(([key, { name }]) => [name, key]));

/**
 * Returns properties with the places of the keys among them. `names` are all names of the body in its order. Keys that come
 * first need no places.
 */
export function placeKeys(names: readonly string[], properties: readonly Property[]): readonly Property[] {
  const byName = new Map(properties.map((property) => [property.name, property]));
  const placed = names.flatMap((name) => placeOf.get(name) ?? byName.get(name) ?? []);
  const comeFirst = keyNames.every((key, at) => placed[at] === placeOf.get(key));
  return comeFirst ? properties : placed;
}

/** Returns the values of a stored entity in the order of an answer, without the Timestamp. Source: cosmos 2. */
export function arrangeProperties(
  values: ReadonlyMap<string, StoredValue>,
): readonly (readonly [string, StoredValue])[] {
  const isPlaced = [...keyOfPlace.keys()].some((name) => values.has(name));
  return [...values].flatMap(([name, value]) => {
    if (name === 'Timestamp') return [];
    if (placeOf.has(name)) return isPlaced ? [] : [[name, value] as const];
    const key = keyOfPlace.get(name);
    if (key === undefined) return [[name, value] as const];
    const stored = values.get(key);
    return stored ? [[key, stored] as const] : [];
  });
}
