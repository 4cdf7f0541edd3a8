import { readMembers, splitMembers } from '../../entity/read-entity.js';
import type { SentEntity } from '../../entity/sent-entity.js';
import { BodyText } from '../../formats/body-text.js';
import { placeKeys } from './key-places.js';

/** The one name that vanishes. `etag` is an ordinary property. Source: cosmos 2. */
const dropped = 'Etag';

/** The body of a request to Cosmos DB. */
export class CosmosText extends BodyText {
  readonly #text: string;

  constructor(text: string) {
    super(text);
    this.#text = text;
  }

  /** Reads an entity. An empty key counts as missing. Errors: as `readEntity`. Source: cosmos 2; cosmos 8. */
  override readEntity(): SentEntity {
    const { values, types } = splitMembers(this.#text);
    const { partitionKey, rowKey, properties } = readMembers(values, types);
    const kept = properties.filter(({ name }) => name !== dropped);
    return {
      partitionKey: partitionKey || undefined,
      rowKey: rowKey || undefined,
      properties: kept,
      placed: placeKeys(
        values.map(({ name }) => name),
        kept,
      ),
    };
  }
}
