import type { Property } from '../../entity/stored/entity.js';
import type { EdmType } from '../../protocol/values/edm.js';
import { ownText } from '../../remembered.js';

/** How many properties of a table are followed. Ours: as many as nearly all tables have. */
const propertiesMax = 64;

/** Notes with which types the properties of one table are written. */
export class StoredTypes {
  readonly #types = new Map<string, EdmType[]>();

  add(properties: readonly Property[]): void {
    for (const { name, type } of properties) {
      const known = this.#types.get(name);
      if (known === undefined) {
        if (this.#types.size < propertiesMax) this.#types.set(ownText(name), [type]);
      } else if (!known.includes(type)) known.push(type);
    }
  }

  /** Returns the types of a property; empty if it was not seen. */
  of(property: string): readonly EdmType[] {
    return this.#types.get(property) ?? [];
  }
}
