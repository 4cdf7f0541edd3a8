import { etagOf } from '../entity/entity.js';
import { checkKeyCharacters, readEntity } from '../entity/read-entity.js';
import { entityUrl, writeEntityBody } from './entity-body.js';
import type { WriteOperation } from './operation.js';

/**
 * Insert Entity: POST to the table, for a key that is still free.
 *
 * Answers 201 with the entity, or 204 when the caller prefers no content.
 * Errors: EntityAlreadyExists (409), TableNotFound (404), PropertiesNeedValue and the data model's (400).
 * Source: operations 8.10.
 */
export const insertEntity: WriteOperation = {
  name: 'Insert Entity',
  kind: 'write',

  prepare({ body }) {
    const { partitionKey, rowKey, properties } = readEntity(body);
    checkKeyCharacters(
      { ...(partitionKey !== undefined && { partitionKey }), ...(rowKey !== undefined && { rowKey }) },
      true,
    );
    if (partitionKey === undefined || rowKey === undefined) return { kind: 'keys-missing' };
    return { kind: 'insert', key: { partitionKey, rowKey }, properties };
  },

  answer(request, text) {
    if (text === null) throw new Error('an insert leaves an entity');
    const location = entityUrl(request, text);
    const applied = request.prefer === undefined ? {} : { preferenceApplied: request.prefer };
    if (request.prefer === 'return-no-content') {
      return { status: 204, etag: etagOf(text), location, dataServiceId: location, ...applied };
    }
    return { status: 201, etag: etagOf(text), location, json: writeEntityBody(request, text), ...applied };
  },
};
