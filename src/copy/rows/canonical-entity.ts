import { AlikeBodies } from '../../entity/body/alike-bodies.js';
import { TableError } from '../../protocol/errors.js';
import { membersOf } from './row.js';

/** Returns whether two texts are the same entity. */
export function isSameEntity(one: string, other: string): boolean {
  return one === other || canonicalParts(one).join() === canonicalParts(other).join();
}

/**
 * Returns the keys and the properties of an entity in their one spelling, sorted: that in which a server stores them. One that a storage
 * account would not read is compared as it is written. `bodies` reads entities that are alike. Errors: SyntaxError.
 */
export function canonicalParts(text: string, bodies = new AlikeBodies()): string[] {
  try {
    const { partitionKey, rowKey, properties } = bodies.read(text);
    const parts = properties.map(({ name, type, json }) => `${name}:${type}:${json}`);
    parts.push(JSON.stringify([partitionKey, rowKey]));
    return parts.sort();
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    // The values of a name that is there twice stay in order.
    return membersOf(text)
      .sort((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)))
      .map(({ name, value }) => JSON.stringify([name, value]));
  }
}
