import { checkKeyCharacters } from '../../entity/body/sent-entity.js';
import type { Change } from '../../entity/stored/change.js';
import { protocolVersions } from '../../protocol/versions.js';
import {
  addressedEntity,
  type OperationRequest,
  type PreparedChange,
  type RequestBody,
  type WriteOperation,
} from '../operation.js';
import { headerMissing, readIfMatch } from './if-match.js';

/**
 * Reads a request that writes the properties of one entity. Without `If-Match` it may also insert the entity.
 *
 * The key is that of the address. Keys in the body are neither compared nor used.
 * Errors: InvalidInput for the condition; those of `RequestBody.readEntity`. Source: operations 8.11;
 * checks-order 7 steps 1 to 3.
 */
export function prepareUpdate(request: OperationRequest, body: RequestBody, kind: 'replace' | 'merge'): PreparedChange {
  const { key } = addressedEntity(request.resource);
  const ifMatch = readIfMatch(request.ifMatch, request.ifNoneMatch, kind === 'merge' ? 'MERGE' : 'PUT');
  if (ifMatch === undefined && request.version < protocolVersions.upsert) throw headerMissing('If-Match');
  checkKeyCharacters(key, false);
  const { properties } = body.readEntity();
  // No entity has an empty key there, so an update with a condition finds none.
  const isEmpty = key.partitionKey === '' || key.rowKey === '';
  if (isEmpty && ifMatch === undefined && !request.rules.hasEmptyKeys) {
    return { kind: 'keys-missing', keys: [key.partitionKey === '' ? 'PartitionKey' : 'RowKey'], sent: [] };
  }
  return { kind, key, properties, ifMatch };
}

function isUpsert(change: Change | undefined): boolean {
  return change !== undefined && change.kind !== 'insert' && change.ifMatch === undefined;
}

/** Returns the answer to an update. */
export const answerUpdate: WriteOperation['answer'] = (text, change) => {
  if (text === null) throw new Error('an update leaves an entity');
  return { kind: 'entity-updated', text, isUpsert: isUpsert(change) };
};
