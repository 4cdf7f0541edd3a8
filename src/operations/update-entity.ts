import type { EntityKey } from '../entity/entity.js';
import { etagOf } from '../entity/entity.js';
import { checkKeyCharacters, readEntity } from '../entity/read-entity.js';
import { TableError } from '../protocol/errors.js';
import { protocolVersions } from '../protocol/versions.js';
import { readIfMatch } from './if-match.js';
import type { OperationRequest, WriteOperation } from './operation.js';

/** The key that the address names. It decides; keys in the body are neither compared nor used. Source: recordings. */
function addressedKey({ resource }: OperationRequest): EntityKey {
  if (resource.kind !== 'entity') throw new Error('routed to an operation on one entity');
  return resource.key;
}

/** Update, or Insert Or Replace, and Merge, or Insert Or Merge: which one is told by `If-Match`. */
function updateOperation(name: string, kind: 'replace' | 'merge', verb: 'PUT' | 'MERGE'): WriteOperation {
  return {
    name,
    kind: 'write',

    prepare(request) {
      const key = addressedKey(request);
      const ifMatch = readIfMatch(request.ifMatch, request.ifNoneMatch, verb);
      if (ifMatch === undefined && request.version < protocolVersions.upsert) throw new TableError('InvalidInput');
      checkKeyCharacters(key, false);
      return { kind, key, properties: readEntity(request.body).properties, ifMatch };
    },

    answer(_request, text) {
      if (text === null) throw new Error('an update leaves an entity');
      return { status: 204, etag: etagOf(text) };
    },
  };
}

/**
 * Update Entity and Insert Or Replace Entity: PUT to an entity. Drops every property that the body does not have.
 *
 * Answers 204 with the new tag. Errors: ResourceNotFound (404), UpdateConditionNotSatisfied (412), TableNotFound.
 * Source: operations 8.11.
 */
export const updateEntity = updateOperation('Update Entity', 'replace', 'PUT');

/**
 * Merge Entity and Insert Or Merge Entity: MERGE or PATCH to an entity. Keeps the properties that the body does not
 * mention; a null is no mention.
 *
 * Answers and errors as Update Entity. Source: operations 8.11.
 */
export const mergeEntity = updateOperation('Merge Entity', 'merge', 'MERGE');

/**
 * Delete Entity: DELETE with `If-Match`, which must be there.
 *
 * Answers 204 without a tag. Errors: ResourceNotFound (404), UpdateConditionNotSatisfied (412), InvalidInput (400).
 * Source: operations 8.12.
 */
export const deleteEntity: WriteOperation = {
  name: 'Delete Entity',
  kind: 'write',

  prepare(request) {
    const key = addressedKey(request);
    const ifMatch = readIfMatch(request.ifMatch, request.ifNoneMatch, 'DELETE');
    if (ifMatch === undefined) throw new TableError('InvalidInput');
    checkKeyCharacters(key, false);
    return { kind: 'delete', key, ifMatch };
  },

  answer() {
    return { status: 204 };
  },
};
