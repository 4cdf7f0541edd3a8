import { checkKeyCharacters, type SentEntity } from '../entity/body/sent-entity.js';
import type { Change } from '../entity/stored/change.js';
import { protocolVersions } from '../protocol/versions.js';
import type { Answer } from './answer.js';
import { headerMissing, readIfMatch } from './if-match.js';
import {
  addressedEntity,
  type OperationRequest,
  type PreparedChange,
  type RequestBody,
  type WriteOperation,
} from './operation.js';

const answerUpdate: WriteOperation['answer'] = (text, change) => {
  if (text === null) throw new Error('an update leaves an entity');
  return { kind: 'entity-updated', text, isUpsert: isUpsert(change) };
};

/**
 * Insert Entity: POST to the table, for an entity that does not exist.
 *
 * Answers with the stored entity.
 * Errors: EntityAlreadyExists (409), TableNotFound (404), PropertiesNeedValue and the data model's (400).
 * Source: operations 8.10.
 */
export const insertEntity: WriteOperation = {
  name: 'Insert Entity',
  kind: 'write',

  prepare(_request, body) {
    return prepareInsert(body.readNewEntity());
  },

  answer(text, change) {
    if (text === null || change === undefined) throw new Error('an insert leaves an entity');
    return { kind: 'entity-inserted', key: change.key, text };
  },
};

/** Returns the change that inserts an entity. Errors: OutOfRangeInput for a character that a key cannot have. */
export function prepareInsert(sent: SentEntity): Extract<PreparedChange, { readonly kind: 'insert' | 'keys-missing' }> {
  checkKeyCharacters(sent, true);
  const { partitionKey, rowKey, properties, members } = sent;
  if (partitionKey === undefined || rowKey === undefined) {
    const keys = [...(partitionKey === undefined ? ['PartitionKey'] : []), ...(rowKey === undefined ? ['RowKey'] : [])];
    return { kind: 'keys-missing', keys, sent: properties.map(({ name }) => name) };
  }
  return { kind: 'insert', key: { partitionKey, rowKey }, properties, members };
}

/**
 * Update Entity and Insert Or Replace Entity: PUT to an entity. Drops every property that the body does not have.
 *
 * Answers with the entity as it is now. Errors: ResourceNotFound (404), UpdateConditionNotSatisfied (412), TableNotFound.
 * Source: operations 8.11.
 */
export const updateEntity: WriteOperation = {
  name: 'Update Entity',
  kind: 'write',
  prepare: (request, body) => prepareUpdate(request, body, 'replace'),
  answer: answerUpdate,
};

/**
 * Merge Entity and Insert Or Merge Entity: MERGE or PATCH to an entity. Keeps the properties that the body does not
 * have, or has as null.
 *
 * Answers with the entity as it is now. Errors: ResourceNotFound (404), UpdateConditionNotSatisfied (412), TableNotFound.
 * Source: operations 8.11.
 */
export const mergeEntity: WriteOperation = {
  name: 'Merge Entity',
  kind: 'write',
  prepare: (request, body) => prepareUpdate(request, body, 'merge'),
  answer: answerUpdate,
};

/**
 * Reads a request that writes the properties of one entity. Without `If-Match` it may also insert the entity.
 *
 * The key is that of the address. Keys in the body are neither compared nor used.
 * Errors: InvalidInput for the condition; those of `RequestBody.readEntity`. Source: operations 8.11;
 * checks-order 7 steps 1 to 3.
 */
function prepareUpdate(request: OperationRequest, body: RequestBody, kind: 'replace' | 'merge'): PreparedChange {
  const { key } = addressedEntity(request.resource);
  const { ifMatch: sent, ifNoneMatch, version, rules } = request.shared;
  const ifMatch = readIfMatch(sent, ifNoneMatch, kind === 'merge' ? 'MERGE' : 'PUT');
  if (ifMatch === undefined && version < protocolVersions.upsert) throw headerMissing('If-Match');
  checkKeyCharacters(key, false);
  const { properties } = body.readEntity();
  // No entity has an empty key there, so an update with a condition finds none.
  const isEmpty = key.partitionKey === '' || key.rowKey === '';
  if (isEmpty && ifMatch === undefined && !rules.hasEmptyKeys) {
    return { kind: 'keys-missing', keys: [key.partitionKey === '' ? 'PartitionKey' : 'RowKey'], sent: [] };
  }
  return { kind, key, properties, ifMatch };
}

function isUpsert(change: Change | undefined): boolean {
  return change !== undefined && change.kind !== 'insert' && change.ifMatch === undefined;
}

const deleted: Answer = { kind: 'entity-deleted' };

/**
 * Delete Entity: DELETE with `If-Match`, which is required.
 *
 * Errors: ResourceNotFound (404), UpdateConditionNotSatisfied (412), InvalidInput (400).
 * Source: operations 8.12.
 */
export const deleteEntity: WriteOperation = {
  name: 'Delete Entity',
  kind: 'write',

  prepare(request) {
    const { key } = addressedEntity(request.resource);
    const ifMatch = readIfMatch(request.shared.ifMatch, request.shared.ifNoneMatch, 'DELETE');
    if (ifMatch === undefined) throw headerMissing('If-Match');
    checkKeyCharacters(key, false);
    return { kind: 'delete', key, ifMatch };
  },

  // One object, so that the answer to a transaction of deletions is written once.
  answer: () => deleted,
};
